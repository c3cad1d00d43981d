// The error responses of each path, by status. All have the body `{error, message}`.
import type { Access } from '../../domain/accounts/permissions.ts';
import type { Method } from '../routes.ts';

type Asked = { method: Method; path: string; access: Access };
type Refusal = { status: number; name: string; means: string; isPossible: (asked: Asked) => boolean };

const REGISTER = '/api/auth/register';
const LOGIN = '/api/auth/login';
const PASSWORD = '/api/auth/password';
// Requests that stay open count against their token.
const LASTING = ['/mcp', '/events', '/events/:alias'];

/** Matches rest.ts: GET and DELETE take their input from the query. */
export const takesBody = ({ method }: Pick<Asked, 'method'>): boolean => method === 'POST' || method === 'PUT';

const always = (): boolean => true;
const needsToken = ({ access }: Asked): boolean => access !== 'public';
const namesNetwork = ({ path, access }: Asked): boolean =>
  path.includes(':') || access === 'read' || access === 'write';
const isAt =
  (...paths: string[]) =>
  ({ path }: Asked): boolean =>
    paths.includes(path);

const REFUSALS: readonly Refusal[] = [
  {
    status: 400,
    name: 'BadRequest',
    means: 'A field is missing, malformed or over its limit, or a rule forbids the request',
    isPossible: always,
  },
  {
    status: 401,
    name: 'Unauthorized',
    means: 'Missing or invalid credentials',
    isPossible: (asked) => needsToken(asked) || isAt(LOGIN)(asked),
  },
  {
    status: 403,
    name: 'Forbidden',
    means: 'The caller lacks permission',
    isPossible: (asked) => needsToken(asked) || isAt(REGISTER, LOGIN)(asked),
  },
  { status: 404, name: 'NotFound', means: 'The resource does not exist', isPossible: namesNetwork },
  { status: 408, name: 'RequestTimeout', means: 'The body arrived too slowly', isPossible: takesBody },
  { status: 413, name: 'PayloadTooLarge', means: 'The body is larger than 1 MiB', isPossible: takesBody },
  { status: 415, name: 'UnsupportedMediaType', means: 'The body is not JSON in UTF-8', isPossible: takesBody },
  {
    status: 429,
    name: 'RateLimited',
    means: 'Too many requests; retry after the time in Retry-After',
    isPossible: isAt(REGISTER, LOGIN, PASSWORD, ...LASTING),
  },
  { status: 500, name: 'InternalError', means: 'Internal error', isPossible: always },
  {
    status: 503,
    name: 'Unavailable',
    means: 'Temporarily unavailable; retry after the time in Retry-After',
    isPossible: always,
  },
];

export function refusalsOf(asked: Asked): Record<number, { $ref: string }> {
  const possible = REFUSALS.filter(({ isPossible }) => isPossible(asked));
  return Object.fromEntries(possible.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]));
}

export function refusalComponents(): Record<string, object> {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    REFUSALS.map(({ status, name, means }) => [name, { description: means, ...waits(status), content }]),
  );
}

function waits(status: number): object {
  const seconds = { description: 'Seconds to wait', schema: { type: 'integer' } };
  return status === 429 || status === 503 ? { headers: { 'Retry-After': seconds } } : {};
}
