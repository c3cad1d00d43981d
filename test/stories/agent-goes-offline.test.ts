// An agent stops responding. It goes offline in time, its tasks wait or expire, and it finds the rest on its return.
// All of this is visible at the exact time, with or without a sweep. The tests mostly wait, so they run concurrently.
import { type onTestFinished, test } from 'vitest';
import { openEvents } from '../support/http/event-reader.ts';
import { type McpClient, mcpClient } from '../support/http/mcp-client.ts';
import { listOf, textOf } from '../support/json.ts';
import { type Cleanup, cleanUpAfterTest } from '../support/process/failed-tests.ts';
import type { Target } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { type RunningHub, storyOnce } from '../support/process/running-hub.ts';

const WAIT = { interval: 50 };

type Fixture = { hub: RunningHub; token: string; client: McpClient };

storyOnce('an agent that stops responding', (target) => {
  test.concurrent('it goes offline, its task waits, and its return brings it back online', async ({
    expect,
    onTestFinished,
  }) => {
    const { client } = await enter(target, onTestFinished, ['--offline-after-seconds', '1', '--sweep-seconds', '1']);
    await client.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'blocked' });
    await expect.poll(() => statusOf(client, 'bob'), WAIT).toBe('offline');

    const sent = await client.call('send_task', { alias: 'bob', task: 'when you are back', from_session: 'alice' });
    expect(sent).toMatchObject({ session_status: 'offline', warning: expect.stringContaining('bob is offline') });
    expect(await statusOf(client, 'bob')).toBe('offline');

    // Reading the inbox is a heartbeat, so the last reported status counts again.
    expect(await client.call('get_inbox', { alias: 'bob' })).toMatchObject({
      messages: [{ id: textOf(sent, 'task_id') }],
    });
    expect(await statusOf(client, 'bob')).toBe('blocked');
    await client.call('ack_inbox', { alias: 'bob', message_id: textOf(sent, 'task_id') });
    expect(await client.call('get_task', { task_id: textOf(sent, 'task_id') })).toMatchObject({
      task: { status: 'running' },
    });
  });

  test.concurrent('an open stream keeps it online, and it goes silent when the stream breaks', async ({
    expect,
    onTestFinished,
  }) => {
    const { hub, token, client } = await enter(target, onTestFinished, [
      '--offline-after-seconds',
      '1',
      '--sweep-seconds',
      '1',
    ]);
    await client.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'idle' });
    await client.call('report_status', { resume_id: 'c-1', alias: 'carol', status: 'idle' });
    const bobEvents = await openEvents(`${hub.url}/events/bob`, token);
    await expect.poll(() => statusOf(client, 'carol'), WAIT).toBe('offline');
    expect(await statusOf(client, 'bob')).toBe('idle');
    await bobEvents.close();
    await expect.poll(() => statusOf(client, 'bob'), WAIT).toBe('offline');
  });

  test.concurrent('the sweep alone notifies everyone who watches the network', async ({ onTestFinished }) => {
    const { hub, token, client } = await enter(target, onTestFinished, [
      '--offline-after-seconds',
      '1',
      '--sweep-seconds',
      '1',
    ]);
    const watcher = await openEvents(`${hub.url}/events`, token);
    await client.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'working' });
    const sent = await client.call('send_task', { alias: 'bob', task: 'soon', ttl_seconds: 1, from_session: 'alice' });
    await watcher.next('session', { alias: 'bob', status: 'working' });
    await watcher.next('session', { alias: 'bob', status: 'offline' });
    await watcher.next('task', { task_id: textOf(sent, 'task_id'), status: 'expired' });
  });

  test.concurrent('a task not started in time expires, leaves the inbox, and can be retried', async ({
    expect,
    onTestFinished,
  }) => {
    const { client } = await enter(target, onTestFinished, ['--sweep-seconds', '1']);
    await client.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'idle' });
    const brief = textOf(
      await client.call('send_task', { alias: 'bob', task: 'now or never', ttl_seconds: 1 }),
      'task_id',
    );
    const started = textOf(
      await client.call('send_task', { alias: 'bob', task: 'take your time', ttl_seconds: 1 }),
      'task_id',
    );
    await client.call('send_ack', { task_id: started, from_session: 'bob' });
    await expect.poll(() => taskStatus(client, brief), WAIT).toBe('expired');

    const inbox = listOf(await client.call('get_inbox', { alias: 'bob' }), 'messages').map(({ id }) => id);
    expect(inbox).toEqual([started]);
    expect(await taskStatus(client, started)).toBe('running');
    const late = { alias: 'hub', text: 'late', in_reply_to: brief, from_session: 'bob' };
    expect(await refusal(client, 'send_reply', late)).toBe('task is terminal');
    expect(await client.call('retry_task', { task_id: brief })).toMatchObject({ retried_to: 'bob' });
    expect(await taskStatus(client, brief)).toBe('delivered');
  });

  test.concurrent('the same holds without a sweep', async ({ expect, onTestFinished }) => {
    const { hub, client } = await enter(target, onTestFinished, [
      '--offline-after-seconds',
      '1',
      '--sweep-seconds',
      '59',
      '--log-level',
      'debug',
    ]);
    await client.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'working' });
    const waiting = textOf(
      await client.call('send_task', { alias: 'bob', task: 'not started', ttl_seconds: 1 }),
      'task_id',
    );
    const running = textOf(
      await client.call('send_task', { alias: 'bob', task: 'started', ttl_seconds: 1 }),
      'task_id',
    );
    await client.call('send_ack', { task_id: running, from_session: 'bob' });

    // Guards first, because a read writes what it finds expired.
    await expect.poll(() => refusal(client, 'send_ack', { task_id: waiting }), WAIT).toBe('task is terminal');
    await expect.poll(() => statusOf(client, 'bob'), WAIT).toBe('offline');
    await expect.poll(() => taskStatus(client, running), WAIT).toBe('expired');
    expect(await client.call('list_tasks')).toMatchObject({ count: 2, stats: [{ status: 'expired', count: 2 }] });
    expect(await client.call('get_inbox', { alias: 'bob' })).toMatchObject({ messages: [] });
    expect(hub.output()).not.toMatch(/"sweep":"expire"/);
  });
});

/** Each concurrent test cleans up its own resources. */
async function enter(target: Target, onFinished: typeof onTestFinished, args: string[]): Promise<Fixture> {
  const atEnd = (cleanup: Cleanup): void => cleanUpAfterTest(cleanup, onFinished);
  const { hub, networkToken } = await hubOfAda({ target, args, atEnd });
  return { hub, token: networkToken, client: mcpClient(hub.url, networkToken) };
}

async function statusOf(client: McpClient, alias: string): Promise<unknown> {
  return listOf(await client.call('get_all_status'), 'sessions').find((session) => session.alias === alias)?.status;
}

async function taskStatus(client: McpClient, taskId: string): Promise<unknown> {
  const found = listOf(await client.call('list_tasks'), 'tasks').find(({ task_id }) => task_id === taskId);
  return found?.status;
}

async function refusal(client: McpClient, tool: string, args: object): Promise<unknown> {
  return client.call(tool, args).then(
    () => undefined,
    ({ error }) => error,
  );
}
