// The refusals each path can answer with, by status. All have one body: `{error, message}`.
import type { Access } from '../../domain/accounts/permissions.ts';
import type { Method } from '../routes.ts';

type Asked = { method: Method; path: string; access: Access };
type Refusal = { status: number; name: string; means: string; isPossible: (asked: Asked) => boolean };

const REGISTER = '/api/auth/register';
const LOGIN = '/api/auth/login';
const PASSWORD = '/api/auth/password';
// What stays open counts against its token.
const LASTING = ['/mcp', '/events', '/events/:alias'];

/** As rest.ts reads them: a GET and a DELETE take their input from the query. */
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
    means: 'A member is missing, malformed or over its limit, or a rule forbids it',
    isPossible: always,
  },
  {
    status: 401,
    name: 'Unauthorized',
    means: 'No valid credential',
    isPossible: (asked) => needsToken(asked) || isAt(LOGIN)(asked),
  },
  {
    status: 403,
    name: 'Forbidden',
    means: 'Not allowed to this caller',
    isPossible: (asked) => needsToken(asked) || isAt(REGISTER, LOGIN)(asked),
  },
  { status: 404, name: 'NotFound', means: 'No such thing', isPossible: namesNetwork },
  { status: 408, name: 'RequestTimeout', means: 'The body arrived too slowly', isPossible: takesBody },
  { status: 413, name: 'PayloadTooLarge', means: 'The body is over 1 MiB', isPossible: takesBody },
  { status: 415, name: 'UnsupportedMediaType', means: 'The body is not JSON in UTF-8', isPossible: takesBody },
  {
    status: 429,
    name: 'RateLimited',
    means: 'Too many for now; Retry-After says when to come again',
    isPossible: isAt(REGISTER, LOGIN, PASSWORD, ...LASTING),
  },
  { status: 500, name: 'InternalError', means: 'The hub failed', isPossible: always },
  { status: 503, name: 'Unavailable', means: 'Not now; Retry-After says when to come again', isPossible: always },
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
