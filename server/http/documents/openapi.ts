// GET /openapi.json: an OpenAPI 3.1 document of all paths, generated from the routes and the operation schemas.
import type { Middleware } from 'koa';
import { TOOLS } from '../../mcp/tools.ts';
import { followEvents } from '../../operations/records/follow-events.ts';
import { IN_QUERY, ROUTES } from '../routes.ts';
import { answer, type Bound, describeOperation, SECURITY_SCHEMES, securityOf } from './openapi-operation.ts';
import { refusalComponents, refusalsOf } from './openapi-refusals.ts';

export function openApiHandler(version: string, publicUrl: string | undefined): Middleware {
  let text: string | undefined;
  return (ctx) => {
    ctx.type = 'application/json';
    ctx.body = text ??= JSON.stringify(openApiDocument(version, publicUrl));
  };
}

type PathItem = Readonly<Record<string, object>>;

/** `version` is the version of the hub. Without `publicUrl`, the server URL is relative to the document. */
export function openApiDocument(version: string, publicUrl = '/') {
  return {
    openapi: '3.1.1',
    info: { title: 'agenthub', version, description: 'Tasks, messages and live events between software agents.' },
    servers: [{ url: publicUrl }],
    paths: { ...restPaths(), ...eventPaths(), '/mcp': { post: MCP }, ...DOCUMENTS },
    components: { schemas: SCHEMAS, securitySchemes: SECURITY_SCHEMES, responses: refusalComponents() },
  };
}

function restPaths(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const [method, path, operation] of ROUTES) {
    const place = templated(path);
    paths[place] = {
      ...paths[place],
      [method.toLowerCase()]: describeOperation({ method, path, operation, inQuery: IN_QUERY[path] }),
    };
  }
  return paths;
}

/** `/api/tasks/{task_id}` for `/api/tasks/:task_id`. */
function templated(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function eventPaths(): Record<string, PathItem> {
  const { alias: _, ...entries } = followEvents.input.entries;
  const summary = 'Follow the events of a network in real time.';
  const ofNetwork = {
    ...followEvents,
    name: 'follow_network_events',
    summary,
    input: { ...followEvents.input, entries },
  };
  return {
    '/events': { get: stream('/events', ofNetwork) },
    '/events/{alias}': { get: stream('/events/:alias', followEvents) },
  };
}

// The only endpoints that accept a token in the query, because a browser's EventSource cannot set headers.
function stream(path: string, operation: Bound['operation']) {
  const success = { type: 'text/event-stream', schema: { type: 'string' } };
  return {
    ...describeOperation({ method: 'GET', path, operation, success }),
    security: [...securityOf(operation.access), { streamToken: [] }],
  };
}

const MCP = {
  operationId: 'mcp',
  summary: 'Call a tool or any other method of the Model Context Protocol.',
  tags: ['mcp'],
  security: [{ networkToken: [] }],
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/RpcRequest' } } },
  },
  responses: {
    200: answer({ type: 'application/json', schema: { $ref: '#/components/schemas/RpcAnswer' } }),
    202: { description: 'Notification accepted' },
    ...refusalsOf({ method: 'POST', path: '/mcp', access: 'read' }),
  },
};

const METRICS = {
  operationId: 'metrics',
  summary: 'Prometheus metrics. Remote clients must send the metrics_token.',
  tags: ['documents'],
  security: [{}, { metricsToken: [] }],
  responses: {
    200: answer({ type: 'text/plain', schema: { type: 'string' } }),
    ...refusalsOf({ method: 'GET', path: '/metrics', access: 'read' }),
  },
};

const DOCUMENTS: Record<string, PathItem> = {
  '/openapi.json': {
    get: publicDocument('openapi', 'This document.', { type: 'application/json', schema: { type: 'object' } }),
  },
  '/metrics': { get: METRICS },
  '/llms.txt': {
    get: publicDocument('llms_text', 'How an agent joins and uses the hub.', {
      type: 'text/plain',
      schema: { type: 'string' },
    }),
  },
};

function publicDocument(operationId: string, summary: string, success: { type: string; schema: object }) {
  return { operationId, summary, tags: ['documents'], security: [], responses: { 200: answer(success) } };
}

const SCHEMAS = {
  Error: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'Error code' },
      message: { type: 'string', description: 'Explanation for a person or an agent' },
    },
    required: ['error', 'message'],
  },
  RpcRequest: {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['number', 'string'] },
      method: { type: 'string', examples: ['tools/call'] },
      params: {
        type: 'object',
        properties: {
          name: { type: 'string', enum: TOOLS.map(({ operation }) => operation.name) },
          arguments: { type: 'object' },
        },
      },
    },
    required: ['jsonrpc', 'method'],
  },
  RpcAnswer: {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['number', 'string', 'null'] },
      result: { type: 'object' },
      error: { type: 'object' },
    },
    required: ['jsonrpc', 'id'],
  },
};
