// GET /openapi.json: a valid OpenAPI 3.1 document that describes every route as its schema defines it.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../server/http/documents/openapi.ts';
import { ROUTES } from '../../server/http/routes.ts';
import { isObject, type JsonObject, objectIn, objectOf } from '../support/json.ts';
import { startHub, story } from '../support/process/running-hub.ts';
import { membersOf } from '../support/store/schema-members.ts';

const document = objectIn(JSON.stringify(openApiDocument('0.0.0-test')));

test('is valid OpenAPI 3.1, including every reference', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate({ ...document });
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('the validator detects an undeclared path parameter', async () => {
  const broken = { ...document, paths: { '/x': { get: { responses: { 200: {} } } } } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test('operation ids are unique', () => {
  const ids = operations().map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(ROUTES)('%s %s is documented, each member in path, query or body', (method, path, operation) => {
  const described = objectOf(
    objectOf(objectOf(document, 'paths'), path.replaceAll(/:(\w+)/g, '{$1}')),
    method.toLowerCase(),
  );
  const members = membersOf(operation);
  expect([...parametersOf(described), ...bodyMembersOf(described)].sort()).toEqual(
    members.map(({ name }) => name).sort(),
  );
  expect(parametersOf(described, 'path')).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  expect(bodyMembersOf(described).length === 0 || method === 'POST' || method === 'PUT').toBe(true);
  expect(described.security).toEqual(SECURITY[operation.access]);
});

const SECURITY = {
  public: [],
  account: [{ userToken: [] }],
  read: [{ networkToken: [] }, { userToken: [] }],
  write: [{ networkToken: [] }, { userToken: [] }],
};

test('limits, choices and defaults match the schemas', () => {
  const body = bodySchema(objectOf(objectOf(objectOf(document, 'paths'), '/api/tasks'), 'post'));
  expect(body).toMatchObject({
    required: ['alias', 'task'],
    properties: {
      alias: { type: 'string', minLength: 1, maxLength: 200 },
      task: { type: 'string', minLength: 1, maxLength: 10_000 },
      priority: { enum: ['high', 'normal', 'low'], default: 'normal' },
      ttl_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 3_600 },
    },
  });
});

test.each(['/mcp', '/events', '/events/{alias}', '/openapi.json', '/llms.txt', '/metrics'])(
  '%s is documented',
  (path) => {
    expect(objectOf(document, 'paths')).toHaveProperty([path]);
  },
);

test.each([
  ['/mcp', 'post'],
  ['/events', 'get'],
  ['/events/{alias}', 'get'],
  ['/api/auth/register', 'post'],
  ['/api/auth/login', 'post'],
])('%s can return 429', (path, method) => {
  expect(objectOf(objectOf(objectOf(document, 'paths'), path), method)).toHaveProperty(['responses', '429']);
});

story('GET /openapi.json', (target) => {
  test('serves the document to everyone as JSON, including browsers', async () => {
    const hub = await startHub({ target });
    const response = await fetch(`${hub.url}/openapi.json`, { headers: { Accept: 'text/html,*/*' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(objectIn(await response.text())).toMatchObject({ openapi: document.openapi, paths: document.paths });
  });
});

function operations(): JsonObject[] {
  return Object.values(objectOf(document, 'paths')).flatMap((item) =>
    isObject(item) ? Object.values(item).filter(isObject) : [],
  );
}

function parametersOf({ parameters }: JsonObject, location?: string): string[] {
  const all: unknown[] = Array.isArray(parameters) ? parameters : [];
  return all
    .filter(isObject)
    .filter((parameter) => location === undefined || parameter.in === location)
    .map(({ name }) => String(name));
}

function bodySchema({ requestBody }: JsonObject): JsonObject {
  return isObject(requestBody)
    ? objectOf(objectOf(objectOf(requestBody, 'content'), 'application/json'), 'schema')
    : {};
}

function bodyMembersOf(described: JsonObject): string[] {
  const { properties } = bodySchema(described);
  return isObject(properties) ? Object.keys(properties) : [];
}
