// The endpoint with another catalogue than the hub's: it offers this one only, and passes on each kind of result.
import { expect, test } from 'vitest';
import { sessionNotFound } from '../../../server/domain/errors.ts';
import type { Catalogue, ToolRun } from '../../../server/mcp/catalogue.ts';
import { answerMcp } from '../../../server/mcp/endpoint.ts';
import { openFixture } from '../../support/fixture.ts';
import { legacyPost, modernPost, type Post } from '../../support/http/mcp-posts.ts';
import { type JsonObject, listOf, objectIn, objectOf } from '../../support/json.ts';

const IMAGE = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
const QUESTION = { method: 'elicitation/create', params: { message: 'Which one?' } };

const RUNS: Readonly<Record<string, ToolRun['run']>> = {
  paint: async () => ({ content: [IMAGE] }),
  fail: async () => {
    throw sessionNotFound('bob');
  },
  ask: async () => ({ inputRequests: { which: QUESTION }, requestState: 'asked' }),
};

const CATALOGUE: Catalogue = {
  tools: Object.entries(RUNS).map(([name, run]) => ({
    name,
    describe: () => ({ name, inputSchema: { type: 'object' } }),
    begin: () => ({ seconds: 0, run }),
  })),
  resources: [{ uri: 'test://bytes', name: 'bytes' }],
  resourceTemplates: [],
  prompts: [
    {
      listed: { name: 'greet', arguments: [{ name: 'who', description: 'a name', required: true }] },
      get: ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }] }),
    },
  ],
  completions: [],
  findResource: (uri) =>
    uri === 'test://bytes' ? { read: async () => ({ mimeType: 'image/png', blob: 'AAAA' }), topic: {} } : undefined,
};

async function ask({ headers, message }: Post): Promise<{ status: number; body: JsonObject }> {
  const { hub, caller } = await openFixture();
  const { status, body = '' } = await answerMcp(hub, caller, { headers, body: { value: message } }, CATALOGUE);
  return { status, body: objectIn(body) };
}

test.each([
  ['modern', modernPost],
  ['legacy', legacyPost],
])('a catalogue replaces what the hub offers: %s', async (_era, post) => {
  const result = async (method: string, params?: JsonObject) =>
    objectOf((await ask(post(method, params))).body, 'result');
  const error = async (method: string, params?: JsonObject) =>
    objectOf((await ask(post(method, params))).body, 'error');
  expect(listOf(await result('tools/list'), 'tools').map(({ name }) => name)).toEqual(Object.keys(RUNS));
  expect(listOf(await result('resources/list'), 'resources')).toEqual(CATALOGUE.resources);
  expect(listOf(await result('prompts/list'), 'prompts').map(({ name }) => name)).toEqual(['greet']);
  expect(await error('tools/call', { name: 'get_all_status' })).toMatchObject({ code: -32602 });
  expect(await error('resources/read', { uri: 'hub://status' })).toMatchObject({ data: { uri: 'hub://status' } });
  expect(await error('prompts/get', { name: 'check_inbox' })).toMatchObject({ code: -32602 });

  expect(await result('tools/call', { name: 'paint' })).toMatchObject({ content: [IMAGE] });
  expect(await result('tools/call', { name: 'fail' })).toMatchObject({ content: [{ type: 'text' }], isError: true });
  expect(await result('resources/read', { uri: 'test://bytes' })).toMatchObject({
    contents: [{ uri: 'test://bytes', mimeType: 'image/png', blob: 'AAAA' }],
  });
  expect(await result('prompts/get', { name: 'greet', arguments: { who: 'Ann' } })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ann.' } }],
  });
  expect(await error('prompts/get', { name: 'greet' })).toMatchObject({ message: 'the argument who is required' });
});

test('a modern result can ask the client for input', async () => {
  const { status, body } = await ask(modernPost('tools/call', { name: 'ask', arguments: {} }));
  expect(status).toBe(200);
  expect(objectOf(body, 'result')).toMatchObject({
    resultType: 'input_required',
    inputRequests: { which: QUESTION },
    requestState: 'asked',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'agenthub' } },
  });
});

test('a legacy result cannot ask the client for input', async () => {
  const { status, body } = await ask(legacyPost('tools/call', { name: 'ask', arguments: {} }));
  expect(status).toBe(500);
  expect(objectOf(body, 'error')).toMatchObject({ code: -32603 });
});
