// Two agents finish the same task at the same time: one wins, and the other gets an error.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type McpClient, mcpClient, ToolError } from '../support/http/mcp-client.ts';
import { type JsonObject, listOf, textOf } from '../support/json.ts';
import type { Target } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { storyOnce } from '../support/process/running-hub.ts';

const RACES = 30;

type Act = (task_id: string) => Promise<JsonObject>;

storyOnce('two agents that finish the same task', (target) => {
  test('of two replies one wins, and the other gets `task is terminal` and changes nothing', async () => {
    const client = await agentsOf(target);
    const reply =
      (from: string): Act =>
      (id) =>
        replyWith(client, from, id, `${from} did it: ${id}`);
    for (let race = 0; race < RACES; race++) {
      const { winner, taskId } = await run(client, { bob: reply('bob'), carol: reply('carol') });
      const result = `${winner} did it: ${taskId}`;
      expect(await client.call('get_task', { task_id: taskId })).toMatchObject({ task: { status: 'replied', result } });
      expect(await completionOf(client, 'alice')).toEqual([result]);
    }
  });

  test('a reply and a cancel: the sender reads the result of the winner', async () => {
    const client = await agentsOf(target);
    for (let race = 0; race < RACES; race++) {
      const { winner, taskId } = await run(client, {
        bob: (id) => replyWith(client, 'bob', id, `done: ${id}`),
        alice: (id) => client.call('cancel_task', { task_id: id, reason: 'no need', from_session: 'alice' }),
      });
      const end =
        winner === 'bob'
          ? { status: 'replied', result: `done: ${taskId}` }
          : { status: 'cancelled', result: 'no need' };
      expect(await client.call('get_task', { task_id: taskId })).toMatchObject({ task: end });
      expect(await completionOf(client, 'alice')).toEqual(winner === 'bob' ? [`done: ${taskId}`] : []);
      expect(await completionOf(client, 'bob')).toEqual(winner === 'alice' ? ['no need'] : []);
    }
  });

  test('of ten concurrent retries, one starts the next attempt', async () => {
    const client = await agentsOf(target);
    const taskId = await sendTask(client);
    await client.call('cancel_task', { task_id: taskId });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => client.call('retry_task', { task_id: taskId })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(refusalsOf(results)).toEqual(Array(9).fill('task status is delivered, not retryable'));
    expect(await client.call('get_task', { task_id: taskId })).toMatchObject({ task: { attempt: 2 } });
    expect(
      listOf(await client.call('get_inbox', { alias: 'bob' }), 'messages').filter(({ type }) => type === 'task'),
    ).toHaveLength(1);
  });
});

async function agentsOf(target: Target): Promise<McpClient> {
  const { hub, networkToken } = await hubOfAda({ target });
  const client = mcpClient(hub.url, networkToken);
  for (const alias of ['alice', 'bob', 'carol'])
    await client.call('report_status', { resume_id: alias, alias, status: 'idle' });
  return client;
}

async function sendTask(client: McpClient): Promise<string> {
  // A different task each time, because the loop guard rejects twenty identical sends.
  return textOf(
    await client.call('send_task', { alias: 'bob', task: `be first ${randomUUID()}`, from_session: 'alice' }),
    'task_id',
  );
}

function replyWith(client: McpClient, from: string, taskId: string, text: string): Promise<JsonObject> {
  return client.call('send_reply', { alias: 'alice', text, in_reply_to: taskId, from_session: from });
}

/** Both act at once. Returns the winner, after checking that the other got the exact error. */
async function run<Name extends string>(
  client: McpClient,
  racers: Record<Name, Act>,
): Promise<{ winner: Name; taskId: string }> {
  const taskId = await sendTask(client);
  const names = Object.keys(racers).filter((name): name is Name => name in racers);
  const results = await Promise.allSettled(names.map((name) => racers[name](taskId)));
  const winners = names.filter((_, index) => results[index]?.status === 'fulfilled');
  expect(winners).toHaveLength(1);
  expect(refusalsOf(results)).toEqual(['task is terminal']);
  const [winner] = winners;
  if (winner === undefined) throw new Error('no winner');
  return { winner, taskId };
}

function refusalsOf(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  const reasons: unknown[] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  return reasons.map((reason) => (reason instanceof ToolError ? reason.error : reason));
}

/** Reads the inbox until it is empty. */
async function completionOf(client: McpClient, alias: string): Promise<unknown[]> {
  const messages = listOf(await client.call('get_inbox', { alias, limit: 100 }), 'messages');
  for (const message of messages) await client.call('ack_inbox', { alias, message_id: textOf(message, 'id') });
  return messages.map(({ content }) => content);
}
