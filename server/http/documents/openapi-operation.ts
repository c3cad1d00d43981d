// Describes one operation at one path in OpenAPI: security, path and query parameters, body and responses.
import type { Access } from '../../domain/accounts/permissions.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import type { Method } from '../routes.ts';
import { type InputMember, inputMembers } from './input-schema.ts';
import { refusalsOf, takesBody } from './openapi-refusals.ts';

type Success = { type: string; schema: object };
export type Bound = {
  method: Method;
  path: string;
  operation: Pick<AnyOperation, 'name' | 'summary' | 'access' | 'input'>;
  inQuery?: readonly string[] | undefined;
  success?: Success;
};

export const SECURITY_SCHEMES = {
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'utok_…',
    description: 'User token, from register or login',
  },
  networkToken: { type: 'http', scheme: 'bearer', bearerFormat: 'ntok_…', description: 'Network token of an agent' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The configured metrics_token' },
  streamToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'Either token, for clients that cannot set headers',
  },
};

const SECURITY: Readonly<Record<Access, object[]>> = {
  public: [],
  account: [{ userToken: [] }],
  read: [{ networkToken: [] }, { userToken: [] }],
  write: [{ networkToken: [] }, { userToken: [] }],
};

export function securityOf(access: Access): object[] {
  return SECURITY[access];
}

const JSON_OBJECT: Success = { type: 'application/json', schema: { type: 'object' } };

export function describeOperation({ method, path, operation, inQuery = [], success = JSON_OBJECT }: Bound) {
  const { inPath, elsewhere } = placed(path, inputMembers(operation.input));
  const isInBody = ({ name }: InputMember): boolean => takesBody({ method }) && !inQuery.includes(name);
  const inBody = elsewhere.filter(isInBody);
  const queried = elsewhere.filter((member) => !isInBody(member));
  const parameters = [
    ...inPath.map((member) => parameter('path', member)),
    ...queried.map((member) => parameter('query', member)),
  ];
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [tagOf(path)],
    security: securityOf(operation.access),
    ...(parameters.length > 0 && { parameters }),
    ...(inBody.length > 0 && { requestBody: jsonBody(inBody) }),
    responses: { 200: answer(success), ...refusalsOf({ method, path, access: operation.access }) },
  };
}

function placed(path: string, members: readonly InputMember[]) {
  const isInPath = ({ name }: InputMember): boolean => path.split('/').includes(`:${name}`);
  return { inPath: members.filter(isInPath), elsewhere: members.filter((member) => !isInPath(member)) };
}

// Path parameters are always required.
function parameter(place: 'path' | 'query', { name, schema: { description, ...schema }, isRequired }: InputMember) {
  return {
    name,
    in: place,
    required: place === 'path' || isRequired,
    ...(description !== undefined && { description }),
    schema,
  };
}

function jsonBody(members: readonly InputMember[]) {
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member.name, member.schema])),
    ...(required.length > 0 && { required }),
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

export function answer({ type, schema }: Success) {
  return { description: 'Success', content: { [type]: { schema } } };
}

/** `networks` for `/api/networks/:network_id`, `health` for `/health`. */
function tagOf(path: string): string {
  const [first = 'hub', second = first] = path.split('/').filter((part) => part !== '');
  return first === 'api' ? second : first;
}
