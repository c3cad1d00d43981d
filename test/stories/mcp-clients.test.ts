// The official MCP client in each of its modes does what agents do: report, send, receive, acknowledge, reply, read and
// wait. A restart of the hub between two calls does not affect it.
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { type JsonObject, listOf, objectIn, textOf } from '../support/json.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';

type Mode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>;

const MODES: readonly [name: string, mode: Mode, version: string][] = [
  ['legacy', 'legacy', '2025-11-25'],
  ['auto', 'auto', '2026-07-28'],
  ['pinned', { pin: '2026-07-28' }, '2026-07-28'],
];

type Agent = {
  client: Client;
  call(tool: string, args?: JsonObject, progress?: (seconds: number) => void): Promise<JsonObject>;
};

async function connect(url: string, token: string, mode: Mode, headers: Record<string, string> = {}): Promise<Agent> {
  const client = new Client({ name: 'story', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${token}`, ...headers } },
    }),
  );
  onTestFinished(() => client.close());
  return {
    client,
    call: async (name, args = {}, progress) => {
      const { content, isError } = await client.callTool(
        { name, arguments: args },
        progress && { onprogress: (update) => progress(update.progress) },
      );
      const [first] = listOf({ content }, 'content');
      expect(isError, JSON.stringify(content)).not.toBe(true);
      return objectIn(textOf(first ?? {}, 'text'));
    },
  };
}

storyOnce('the official client', (target) => {
  test.each(MODES)('in mode %s as Claude Code notices that the hub is killed while it waits', async (_, mode) => {
    const { hub, networkToken } = await hubOfAda({ target });
    const agent = await connect(hub.url, networkToken, mode, { 'user-agent': 'claude-code/2.1.328 (cli)' });
    const noticed = expect(agent.call('get_inbox', { alias: 'bob', wait_seconds: 300 })).rejects.toThrow('terminated');
    const waits = async () => /^agenthub_waits_open (\d+)/m.exec(await (await fetch(`${hub.url}/metrics`)).text())?.[1];
    await expect.poll(waits).toBe('1');
    await hub.kill('SIGKILL');
    await noticed;
  });

  test('with the handshake continues its waits after a restart of the hub', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const agent = await connect(hub.url, networkToken, 'legacy');
    const { task_id } = await agent.call('send_task', { alias: 'carol', task: 'paint', from_session: 'alice' });
    const received = agent.call('get_inbox', { alias: 'bob', wait_seconds: 60 });
    const settled = agent.call('wait_task', { task_id, timeout_seconds: 60 });
    const waits = async () => /^agenthub_waits_open (\d+)/m.exec(await (await fetch(`${hub.url}/metrics`)).text())?.[1];
    await expect.poll(waits).toBe('2');
    await hub.kill('SIGKILL');
    await startHub({ target, data: hub.data, args: ['--port', new URL(hub.url).port] });
    const other = await connect(hub.url, networkToken, 'legacy');
    await other.call('send_task', { alias: 'bob', task: 'count', from_session: 'alice' });
    await other.call('send_reply', { alias: 'alice', text: 'red', in_reply_to: task_id, from_session: 'carol' });
    expect(listOf(await received, 'messages')).toMatchObject([{ content: 'count' }]);
    expect(await settled).toMatchObject({ settled: true, task: { result: 'red' } });
  });

  test.each(MODES)(
    'in mode %s completes a task end to end, undisturbed by a restart of the hub',
    async (_, mode, version) => {
      const { hub, networkToken } = await hubOfAda({ target });
      const [alice, bob] = await Promise.all([
        connect(hub.url, networkToken, mode),
        connect(hub.url, networkToken, mode),
      ]);
      expect(alice.client.getNegotiatedProtocolVersion()).toBe(version);
      expect(alice.client.getServerVersion()).toMatchObject({ name: 'agenthub' });
      expect(alice.client.getInstructions()).toContain('get_inbox');
      const { tools } = await alice.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['report_status', 'send_task', 'wait_task', 'broadcast']),
      );
      expect(tools).toHaveLength(18);

      await alice.call('report_status', { resume_id: 'a-1', alias: 'alice', status: 'working' });
      await bob.call('report_status', { resume_id: 'b-1', alias: '鲍勃', status: 'idle' });
      const received = bob.call('get_inbox', { alias: '鲍勃', wait_seconds: 60 });
      const sent = await alice.call('send_task', { alias: '鲍勃', task: 'count the 🐑', from_session: 'alice' });
      const taskId = textOf(sent, 'task_id');
      expect(listOf(await received, 'messages')).toMatchObject([{ task_id: taskId, content: 'count the 🐑' }]);
      await bob.call('ack_inbox', { alias: '鲍勃', message_id: taskId });
      expect(await alice.call('get_task', { task_id: taskId })).toMatchObject({ task: { status: 'running' } });

      const progress: number[] = [];
      const settled = alice.call(
        'wait_task',
        { task_id: taskId, timeout_seconds: 60 },
        (seconds) => void progress.push(seconds),
      );
      await expect.poll(() => progress).toEqual([0]);
      await bob.call('send_reply', { alias: 'alice', text: '42', in_reply_to: taskId, from_session: '鲍勃' });
      expect(await settled).toMatchObject({ settled: true, task: { status: 'replied', result: '42' } });

      await hub.kill('SIGKILL');
      const again = await startHub({ target, data: hub.data, args: ['--port', new URL(hub.url).port] });
      expect(again.url).toBe(hub.url);
      expect(await alice.call('get_task', { task_id: taskId })).toMatchObject({
        task: { status: 'replied', result: '42' },
      });
      expect(listOf(await alice.call('get_inbox', { alias: 'alice' }), 'messages')).toMatchObject([
        { type: 'reply', content: '42' },
      ]);
      await expect(alice.client.callTool({ name: 'forget_task', arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });
    },
  );

  test.each(MODES)('in mode %s finds the resources, the prompt and the agent completions', async (_, mode) => {
    const { hub, networkToken } = await hubOfAda({ target });
    const { client, call } = await connect(hub.url, networkToken, mode);
    await call('report_status', { resume_id: 'b-1', alias: '鲍勃', status: 'idle' });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['hub://status']);
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'hub://inbox/{alias}',
    ]);
    const { contents } = await client.readResource({ uri: `hub://inbox/${encodeURIComponent('鲍勃')}` });
    expect(contents).toMatchObject([{ text: '{"ok":true,"messages":[]}' }]);
    expect((await client.readResource({ uri: 'hub://inbox/鲍勃' })).contents).toHaveLength(1);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['check_inbox']);
    expect((await client.getPrompt({ name: 'check_inbox', arguments: { alias: '鲍勃' } })).messages).toMatchObject([
      { content: { type: 'text' } },
    ]);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'check_inbox' },
      argument: { name: 'alias', value: '鲍' },
    });
    expect(completion.values).toEqual(['鲍勃']);
  });

  test('is notified when an inbox changes and when the hub stops', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const { client, call } = await connect(hub.url, networkToken, 'auto');
    const changed: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void changed.push(params.uri));
    const subscription = await client.listen({ resourceSubscriptions: ['hub://inbox/bob', 'hub://nothing'] });
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: ['hub://inbox/bob'] });
    await call('send_task', { alias: 'bob', task: 'look' });
    await expect.poll(() => changed).toEqual(['hub://inbox/bob']);
    hub.signal('SIGTERM');
    expect(await subscription.closed).toBe('graceful');
    expect(await hub.ended).toEqual({ code: 0, signal: null });
  });

  test('gets the current state when the hub stops during a wait', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const { call } = await connect(hub.url, networkToken, 'auto');
    const progress: number[] = [];
    const waiting = call('get_inbox', { alias: 'bob', wait_seconds: 300 }, (seconds) => void progress.push(seconds));
    await expect.poll(() => progress).toEqual([0]);
    const started = performance.now();
    hub.signal('SIGTERM');
    expect(await waiting).toEqual({ ok: true, messages: [] });
    expect(await hub.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(1_500);
  });
});
