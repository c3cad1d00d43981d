// Unknown addresses, wrong methods and malformed MCP envelopes. Each gets the error response the interface defines and
// changes nothing.
import { expect, test } from 'vitest';
import { checkedHub } from '../../support/process/checked-hub.ts';

const hub = checkedHub();

/** The newest revision with a handshake. It does not support batches. */
const MCP_HEADERS = { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2025-11-25' };

const ENVELOPES: readonly [name: string, message: unknown, status: number, code: number][] = [
  ['no version', { id: 1, method: 'ping' }, 400, -32600],
  ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
  ['a method that is not a string', { jsonrpc: '2.0', id: 1, method: 7 }, 400, -32600],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], 400, -32600],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'tools/forget' }, 200, -32601],
  ['a method named like an Object.prototype member', { jsonrpc: '2.0', id: 1, method: 'constructor' }, 200, -32601],
  ['an unknown tool', call('forget_task', {}), 200, -32602],
  ['a tool named like an Object.prototype member', call('toString', {}), 200, -32602],
  ['a tool without a name', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: {} } }, 200, -32602],
  ['a tool name that is not a string', call(['send_task'], {}), 200, -32602],
  ['arguments in a list', call('send_task', ['bob']), 200, -32602],
  ['arguments that are a string', call('send_task', 'bob'), 200, -32602],
  ['params in a list', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ['send_task'] }, 200, -32602],
];

test.each(ENVELOPES)('/mcp: %s', async (_, message, status, code) => {
  await hub.storingNothing(async () => {
    const reply = await hub.ask({
      path: '/mcp',
      headers: { ...headers(), ...MCP_HEADERS },
      body: JSON.stringify(message),
    });
    expect(reply).toMatchObject({ status, body: { jsonrpc: '2.0', error: { code, message: expect.any(String) } } });
  });
});

const ADDRESSES: readonly [method: string, path: string, status: number, error: string][] = [
  ['GET', '/api/nothing', 404, 'not_found'],
  ['POST', '/api', 404, 'not_found'],
  ['GET', '/api/tasks/x/y/z', 404, 'not_found'],
  ['GET', '//api/tasks', 404, 'not_found'],
  ['GET', '/api/../../etc/passwd', 404, 'not_found'],
  ['GET', '/api/tasks/%E0%A4%A', 400, 'invalid_request'],
  ['GET', '/api/tasks/%00', 400, 'invalid_request'],
  ['GET', '/events/%00', 400, 'invalid_request'],
  ['GET', `/events/${'x'.repeat(201)}`, 400, 'invalid_request'],
  ['GET', '/events/bob?last_event_id=a&last_event_id=b', 400, 'invalid_request'],
  ['GET', '/api/tasks?limit=1&limit=2', 400, 'invalid_request'],
  ['GET', '/api/tasks?status=running&status=failed', 400, 'invalid_request'],
  ['GET', '/api/tasks?limit=', 400, 'invalid_request'],
  ['GET', '/api/tasks?limit=1e3', 400, 'invalid_request'],
  ['GET', '/api/tasks?limit=0x10', 400, 'invalid_request'],
  ['GET', '/api/tasks?limit=501', 400, 'invalid_request'],
  ['GET', '/api/tasks?cursor=-1', 400, 'invalid_request'],
  ['GET', '/api/tasks?cursor=%27%20OR%201=1', 400, 'invalid_request'],
  ['GET', '/mcp', 405, 'method_not_allowed'],
  ['DELETE', '/mcp', 405, 'method_not_allowed'],
  ['DELETE', '/health', 405, 'method_not_allowed'],
  ['PATCH', '/api/tasks', 405, 'method_not_allowed'],
  ['POST', '/events/bob', 405, 'method_not_allowed'],
  ['PROPFIND', '/api/tasks', 405, 'method_not_allowed'],
  ['TRACE', '/api/tasks', 405, 'method_not_allowed'],
];

test.each(ADDRESSES)('%s %s → %i %s', async (method, path, status, error) => {
  await hub.storingNothing(async () => {
    const reply = await hub.ask({ method, path, headers: headers() });
    expect({ status: reply.status, body: reply.body }).toEqual({
      status,
      body: { error, message: expect.stringMatching(/^[^\n]+$/) },
    });
    if (status === 405) expect(reply.headers.allow).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  });
});

test('a query key named like an Object.prototype member is treated as any unknown key', async () => {
  const reply = await hub.ask({
    method: 'GET',
    path: '/api/tasks?__proto__=x&constructor=y&toString=z&limit=1',
    headers: headers(),
  });
  expect(reply).toMatchObject({ status: 200, body: { ok: true } });
});

function headers(): Record<string, string> {
  return { Authorization: `Bearer ${hub.account().networkToken}` };
}

function call(name: unknown, args: unknown): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}
