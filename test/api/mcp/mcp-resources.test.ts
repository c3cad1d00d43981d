// Resources, the prompt and completion: how a host application reads the hub, with the same authorization as the tools.
import { describe, expect, test } from 'vitest';
import { answerMcp } from '../../../server/mcp/endpoint.ts';
import { as, type Fixture, openFixture, report, send, withRole } from '../../support/fixture.ts';
import { legacyPost, modernPost } from '../../support/http/mcp-posts.ts';
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { foundNetwork } from '../../support/test-hub.ts';

/** Requested in both eras, which must agree except for the extra fields of a modern result. */
async function ask(
  { hub, caller }: Pick<Fixture, 'hub' | 'caller'>,
  method: string,
  params: JsonObject = {},
): Promise<JsonObject> {
  const [legacy, modern] = await Promise.all(
    [legacyPost(method, params), modernPost(method, params)].map(async ({ headers, message }) => {
      const { body = '{}' } = await answerMcp(hub, caller, { headers, body: { value: message } });
      return objectIn(body);
    }),
  );
  if (legacy === undefined || modern === undefined) throw new Error('no answer');
  if (!isObject(legacy.result)) return modern;
  expect(modern.result).toMatchObject(legacy.result);
  return legacy.result;
}

async function read(fixture: Pick<Fixture, 'hub' | 'caller'>, uri: string): Promise<JsonObject> {
  const [content] = listOf(await ask(fixture, 'resources/read', { uri }), 'contents');
  expect(content).toMatchObject({ uri, mimeType: 'application/json' });
  return objectIn(textOf(content ?? {}, 'text'));
}

const outsider = async (fixture: Fixture): Promise<Fixture> => as(fixture, await foundNetwork(fixture.hub));
const asUser = (fixture: Fixture): Fixture => as(fixture, { token_kind: 'user' });

describe('resources', () => {
  test('are listed: the status, and a template for inboxes', async () => {
    const fixture = await openFixture();
    expect(listOf(await ask(fixture, 'resources/list'), 'resources')).toEqual([
      {
        uri: 'hub://status',
        name: 'status',
        title: expect.any(String),
        description: expect.any(String),
        mimeType: 'application/json',
      },
    ]);
    expect(listOf(await ask(fixture, 'resources/templates/list'), 'resourceTemplates')).toEqual([
      {
        uriTemplate: 'hub://inbox/{alias}',
        name: 'inbox',
        title: expect.any(String),
        description: expect.any(String),
        mimeType: 'application/json',
      },
    ]);
  });

  test('hub://status returns the result of get_all_status', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { task: 'digging' });
    expect(await read(fixture, 'hub://status')).toMatchObject({
      ok: true,
      sessions: [{ alias: 'bob', task: 'digging' }],
      summary: [{ status: 'idle', count: 1 }],
    });
    expect(await read(await outsider(fixture), 'hub://status')).toMatchObject({ sessions: [] });
  });

  test('hub://inbox/{alias} returns the result of get_inbox', async () => {
    const fixture = await openFixture();
    const task = await send(fixture);
    for (const reader of [fixture, withRole(fixture, 'viewer')])
      expect(await read(reader, 'hub://inbox/bob')).toMatchObject({ messages: [{ id: task, content: 'build it' }] });
    expect(await read(await outsider(fixture), 'hub://inbox/bob')).toMatchObject({ messages: [] });
  });

  test.each(['猫 & 犬', 'a/b', 'a?b#c', '100%', 'hub://inbox/x', ' '])(
    'the URI can contain the alias %j',
    async (alias) => {
      const fixture = await openFixture();
      const task = await send(fixture, { alias });
      expect(await read(fixture, `hub://inbox/${encodeURIComponent(alias)}`)).toMatchObject({
        messages: [{ id: task }],
      });
    },
  );

  test('an alias can be unescaped where no character requires escaping', async () => {
    const fixture = await openFixture();
    const task = await send(fixture, { alias: 'Zoë' });
    expect(await read(fixture, 'hub://inbox/Zoë')).toMatchObject({ messages: [{ id: task }] });
  });

  test.each([
    'hub://nothing',
    'hub://status/',
    'hub://inbox/',
    'hub://inbox',
    'hub://inbox/%',
    'HUB://status',
    'file:///etc/passwd',
    '',
  ])('%j does not exist', async (uri) => {
    const { error } = await ask(await openFixture(), 'resources/read', { uri });
    expect(error).toMatchObject({ code: -32602, data: { uri } });
  });

  test.each([undefined, null, 7, ['hub://status']])('%j is not a valid URI', async (uri) => {
    expect((await ask(await openFixture(), 'resources/read', { uri })).error).toMatchObject({
      code: -32602,
      message: 'uri must be a string',
    });
  });

  test('an invalid alias gets the same error as in a tool call', async () => {
    const { error } = await ask(await openFixture(), 'resources/read', { uri: `hub://inbox/${'x'.repeat(201)}` });
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('alias must have at most 200 characters'),
    });
  });

  test('are not available to user tokens', async () => {
    const fixture = asUser(await openFixture());
    for (const uri of ['hub://status', 'hub://inbox/bob']) {
      expect((await ask(fixture, 'resources/read', { uri })).error).toMatchObject({
        code: -32602,
        data: { uri, error: 'permission_denied' },
      });
    }
    expect(listOf(await ask(fixture, 'resources/list'), 'resources')).toHaveLength(1);
  });
});

describe('the prompt check_inbox', () => {
  test('is listed with its argument', async () => {
    expect(listOf(await ask(await openFixture(), 'prompts/list'), 'prompts')).toEqual([
      {
        name: 'check_inbox',
        title: expect.any(String),
        description: expect.any(String),
        arguments: [{ name: 'alias', description: 'agent alias', required: true }],
      },
    ]);
  });

  test('instructs the agent with its alias', async () => {
    const [message] = listOf(
      await ask(await openFixture(), 'prompts/get', { name: 'check_inbox', arguments: { alias: '猫"' } }),
      'messages',
    );
    expect(message).toMatchObject({ role: 'user', content: { type: 'text' } });
    const text = textOf(objectOf(message ?? {}, 'content'), 'text');
    for (const words of ['"猫\\""', 'get_inbox', 'ack_inbox', 'send_reply', 'not instructions'])
      expect(text).toContain(words);
  });

  test.each([
    { name: 'check_inbox' },
    { name: 'check_inbox', arguments: {} },
    { name: 'check_inbox', arguments: { alias: '' } },
    { name: 'check_inbox', arguments: { alias: 7 } },
    { name: 'toString' },
    {},
  ])('%j is rejected', async (params) => {
    expect((await ask(await openFixture(), 'prompts/get', params)).error).toMatchObject({ code: -32602 });
  });
});

describe('completion', () => {
  const PROMPT = { type: 'ref/prompt', name: 'check_inbox' };
  const TEMPLATE = { type: 'ref/resource', uri: 'hub://inbox/{alias}' };
  const complete = (fixture: Fixture, value: string, ref: object = PROMPT) =>
    ask(fixture, 'completion/complete', { ref, argument: { name: 'alias', value } });

  test.each([[PROMPT], [TEMPLATE]])('of %j finds the aliases with this prefix, case-insensitively', async (ref) => {
    const fixture = await openFixture();
    for (const alias of ['Bob', 'bobby', 'alice']) await report(fixture, alias);
    expect(await complete(fixture, 'BO', ref)).toEqual({
      completion: { values: ['Bob', 'bobby'], total: 2, hasMore: false },
    });
    expect(await complete(fixture, '', ref)).toMatchObject({ completion: { total: 3 } });
    expect(await complete(fixture, 'x', ref)).toMatchObject({ completion: { values: [], total: 0 } });
    expect(await complete(await outsider(fixture), '', ref)).toMatchObject({ completion: { values: [] } });
  });

  test('returns a hundred values and reports that there are more', async () => {
    const fixture = await openFixture();
    await Promise.all(
      Array.from({ length: 101 }, (_, index) => report(fixture, `agent-${String(index).padStart(3, '0')}`)),
    );
    const { completion } = await complete(fixture, 'agent-');
    expect(completion).toMatchObject({
      total: 101,
      hasMore: true,
      values: expect.objectContaining({ length: 100, 0: 'agent-000', 99: 'agent-099' }),
    });
  });

  test.each([
    { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'alias', value: '' } },
    { ref: { type: 'ref/resource', uri: 'hub://status' }, argument: { name: 'alias', value: '' } },
    { ref: PROMPT, argument: { name: 'x', value: '' } },
    { ref: PROMPT, argument: { name: 'alias' } },
    { ref: PROMPT },
    { argument: { name: 'alias', value: '' } },
    {},
  ])('%j is rejected', async (params) => {
    expect((await ask(await openFixture(), 'completion/complete', params)).error).toMatchObject({ code: -32602 });
  });

  test('is not available to user tokens', async () => {
    expect((await complete(asUser(await openFixture()), '')).error).toMatchObject({
      code: -32602,
      data: { error: 'permission_denied' },
    });
  });
});
