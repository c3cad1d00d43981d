// Random requests: any method, path and header. None names an existing resource, so none can change anything.
import fc from 'fast-check';
import { ROUTES } from '../../../server/http/routes.ts';
import type { Sent } from '../tenancy/send.ts';

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'PURGE',
  'M-SEARCH',
];

const oddPiece = fc.constantFrom(
  '%00',
  '%2F',
  '%2e%2e',
  '..',
  '.',
  '%',
  '%%',
  '%zz',
  '%u0041',
  '%E0%A4%A',
  '%ff%fe',
  '%ED%A0%80',
  '%C0%AF',
  '%F0%9F%98%80',
  '%E6%9E%97',
  '%0d%0aX:%201',
  '%3Fa=b',
  '%23',
  ';a=b',
  '*',
  '(a|b)',
  ':alias',
  '{alias}',
  "'",
  '%22',
  '\\',
  '|',
  '^',
  '%20',
  '+',
  '&',
  '=',
  '@',
  '~',
  'a'.repeat(201),
  'a'.repeat(3000),
  '__proto__',
  'constructor',
);

const segment = fc.oneof(
  oddPiece,
  fc.array(oddPiece, { maxLength: 4 }).map((pieces) => pieces.join('')),
  fc.webSegment(),
);

const knownPath = fc.constantFrom(
  ...ROUTES.map(([, path]) => path),
  '/events/:alias',
  '/events',
  '/mcp',
  '/',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/x',
  '/assets/x',
  '/nowhere',
);

/** A known path with odd parameter values, or a path of odd segments. */
const path = fc.oneof(
  fc
    .tuple(knownPath, fc.array(segment, { minLength: 4, maxLength: 4 }))
    .map(([known, pieces]) => known.replace(/:\w+/g, () => pieces.pop() ?? '')),
  fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
  fc.tuple(knownPath, segment).map(([known, piece]) => `${known.toUpperCase()}/${piece}`),
  fc.constantFrom(
    '//',
    '///api//tasks',
    '/api/tasks/',
    '/api/../api/tasks',
    '/api/tasks?',
    '/?',
    '/#',
    '*',
    'http://elsewhere/api/tasks',
    'http://',
    '/api/tasks#x',
  ),
);

const queryText = fc.oneof(
  oddPiece,
  fc.constantFrom('', '1', '-1', '1e9', 'true', 'null', '[]', 'net_1', '2026-01-01 00:00:00'),
);
const queryName = fc.constantFrom(
  'network_id',
  'alias',
  'limit',
  'cursor',
  'status',
  'token',
  'last_event_id',
  'to_name',
  'task_id',
  '__proto__',
  'a[b]',
  'limit[]',
  '',
  '%',
  'constructor',
);
const query = fc
  .array(fc.tuple(queryName, queryText), { maxLength: 5 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`));

const latinCharacter = fc
  .integer({ min: 0x20, max: 0xff })
  .filter((code) => code !== 0x7f)
  .map((code) => String.fromCharCode(code));
const latin = fc.string({ unit: latinCharacter, maxLength: 60 });

const headers = fc.record(
  {
    Accept: fc.oneof(latin, fc.constantFrom('text/html', '*/*;q=0', 'text/event-stream')),
    'Accept-Encoding': latin,
    'Accept-Language': latin,
    Cookie: latin,
    Range: fc.constantFrom('bytes=0-', 'bytes=5-1', 'x'),
    'If-None-Match': latin,
    'If-Modified-Since': latin,
    'Last-Event-ID': fc.oneof(latin, fc.constantFrom('-', 'x-1', '000-99999999999999999', '-0')),
    Origin: fc.oneof(latin, fc.constantFrom('null', 'https://evil.example', 'http://127.0.0.1:1', 'http://localhost')),
    Host: fc.oneof(
      fc.constantFrom('127.0.0.1', 'localhost', '', 'evil.example', '[::1', '[::1]:80', '127.0.0.1:99999'),
      latin,
    ),
    'X-Forwarded-For': fc.oneof(latin, fc.constantFrom(', ,', '::1', '1.2.3.4, 5.6.7.8', 'a'.repeat(4000))),
    'X-Forwarded-Host': latin,
    'X-Forwarded-Proto': latin,
    'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'PUT'),
    'Content-Type': fc.oneof(
      latin,
      fc.constantFrom('application/json', 'application/json;', ';', 'application/json; charset="'),
    ),
    Upgrade: fc.constantFrom('websocket', 'h2c'),
    'X-Odd': latin,
  },
  { requiredKeys: [] },
);

const authorization = (tokens: readonly string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...tokens.map((token) => `Bearer ${token}`)) },
    { weight: 1, arbitrary: fc.constantFrom(...tokens.flatMap(oddlyCarried)) },
    { weight: 1, arbitrary: latin },
  );

function oddlyCarried(token: string): string[] {
  return [
    token,
    `bearer  ${token} `,
    `Bearer ${token},${token}`,
    `Bearer ${token} x`,
    `Basic ${token}`,
    `Bearer ${token.toUpperCase()}`,
  ];
}

const body = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom('', '{}', '[]', 'null', '{"a":', '{"network_id":7}', '{"alias":"a","unknown":1}'),
);

/** Usually sent with a valid token of the right kind. */
export function badRequest(tokens: readonly string[]): fc.Arbitrary<Sent> {
  return fc
    .record({ method: fc.constantFrom(...METHODS), path, query, headers, authorization: authorization(tokens), body })
    .map((drawn) => ({
      method: drawn.method,
      path: sendable(drawn.path + drawn.query),
      headers: {
        ...drawn.headers,
        Authorization: drawn.authorization,
        ...(drawn.body !== undefined && { 'Content-Length': drawn.body.length }),
      },
      ...(drawn.body !== undefined && { body: drawn.body }),
    }));
}

/** Requests that once caused a failure, repeated in every run. */
export function oddRequests(token: string): Sent[] {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    { method: 'GET', path: 'http://' },
    { method: 'OPTIONS', path: '*' },
    { method: 'HEAD', path: '/events/bob', headers },
    { method: 'HEAD', path: '/events', headers },
    { method: 'GET', path: '/events/%ff', headers },
    { method: 'GET', path: '/api/status/%E0%A4%A', headers },
  ];
}

/** Escaped as Node sends it. */
function sendable(address: string): string {
  return address.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character));
}
