// The life of a task: alice sends it, bob receives it, works on it and replies, and alice reads the result.
import { expect, test } from 'vitest';
import { openEvents } from '../support/http/event-reader.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { register, restClient } from '../support/http/rest-client.ts';
import { listOf, textOf } from '../support/json.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';

storyOnce('the lifecycle of a task', (target) => {
  test('send → event → inbox → ack → reply → event → result', async () => {
    const { hub, networkToken, userToken } = await hubOfAda({ target });
    const alice = mcpClient(hub.url, networkToken);
    const bob = mcpClient(hub.url, networkToken);
    await alice.call('report_status', { resume_id: 'a-1', alias: 'alice', status: 'working' });
    const reported = await bob.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'idle', model: 'm-1' });
    expect(reported).toEqual({ ok: true, resume_id: 'b-1', alias: 'bob', inbox_count: 0 });
    const aliceEvents = await openEvents(`${hub.url}/events/alice`, networkToken);
    const bobEvents = await openEvents(`${hub.url}/events/bob`, networkToken);
    await bobEvents.next('heartbeat');

    const work = { task: 'count the 🐑', context: 'all of them', priority: 'high' };
    const sent = await alice.call('send_task', { alias: 'bob', ...work, from_session: 'alice' });
    expect(sent).toMatchObject({ ok: true, session_status: 'idle' });
    expect(sent).not.toHaveProperty('warning');
    const taskId = textOf(sent, 'message_id');

    const { data } = await bobEvents.next('new_task');
    expect(data).toEqual({
      type: 'new_task',
      inbox_count: 1,
      priority: 'high',
      from: 'alice',
      task_id: taskId,
      message_id: taskId,
    });
    const inbox = await bob.call('get_inbox', { alias: 'bob' });
    expect(listOf(inbox, 'messages')).toMatchObject([
      {
        id: taskId,
        type: 'task',
        priority: 'high',
        content: 'count the 🐑',
        context: 'all of them',
        from_session: 'alice',
      },
    ]);
    expect(await bob.call('get_inbox', { alias: 'bob' })).toEqual(inbox);

    await bob.call('ack_inbox', { alias: 'bob', message_id: taskId });
    expect(await bob.call('get_inbox', { alias: 'bob' })).toMatchObject({ messages: [] });
    expect(await alice.call('get_task', { task_id: taskId })).toMatchObject({
      task: { status: 'running', result: null },
    });

    const reply = await bob.call('send_reply', {
      alias: 'alice',
      text: '42',
      in_reply_to: taskId,
      from_session: 'bob',
    });
    const received = await aliceEvents.next('new_reply');
    const replyId = textOf(reply, 'message_id');
    expect(received.data).toEqual({
      type: 'new_reply',
      from: 'bob',
      message_id: replyId,
      in_reply_to: taskId,
      status: 'replied',
    });
    expect(await alice.call('get_task', { task_id: taskId })).toMatchObject({
      task: {
        status: 'replied',
        result: '42',
        started_at: expect.any(String),
        completed_at: expect.any(String),
        attempt: 1,
      },
    });
    expect(await alice.call('get_inbox', { alias: 'alice' })).toMatchObject({
      messages: [
        { id: replyId, type: 'reply', content: '42', from_session: 'bob', in_reply_to: taskId, status: 'replied' },
      ],
    });

    const watching = await restClient(hub.url, userToken).get('/api/tasks');
    expect(watching.body).toMatchObject({
      tasks: [{ task_id: taskId, status: 'replied' }],
      stats: [{ status: 'replied', count: 1 }],
    });
    expect(bobEvents.arrived().filter(({ name }) => name !== 'heartbeat')).toHaveLength(1);
  });

  test('messages and broadcasts reach an open stream and the inbox, and another network receives nothing', async () => {
    const hub = await startHub({ target });
    const ours = await register(hub.url, 'ours');
    const theirs = await register(hub.url, 'theirs');
    const alice = mcpClient(hub.url, ours.networkToken);
    const otherAgent = mcpClient(hub.url, theirs.networkToken);
    await alice.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'working' });
    await otherAgent.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'working' });
    const bobEvents = await openEvents(`${hub.url}/events/bob`, ours.networkToken);
    const theirBobEvents = await openEvents(`${hub.url}/events/bob`, theirs.networkToken);

    const message = await alice.call('send_message', { alias: 'bob', message: 'tea?', from_session: 'alice' });
    expect((await bobEvents.next('new_message')).data).toEqual({
      type: 'new_message',
      message: 'tea?',
      from: 'alice',
      message_id: textOf(message, 'message_id'),
    });
    expect(await alice.call('broadcast', { content: 'stand up', from_session: 'alice' })).toMatchObject({
      ok: true,
      delivered_count: 1,
    });
    expect((await bobEvents.next('broadcast')).data).toMatchObject({
      type: 'broadcast',
      content: 'stand up',
      from: 'alice',
    });
    expect(listOf(await alice.call('get_inbox', { alias: 'bob' }), 'messages').map(({ type }) => type)).toEqual([
      'message',
      'broadcast',
    ]);

    // The next event of the other network's bob is its own message, so nothing from this network came before it.
    await otherAgent.call('send_message', { alias: 'bob', message: 'hello', from_session: 'carl' });
    await theirBobEvents.next('new_message', { message: 'hello' });
    expect(theirBobEvents.arrived().map(({ name }) => name)).toEqual(['heartbeat', 'new_message']);
    expect(await otherAgent.call('get_inbox', { alias: 'bob' })).toMatchObject({ messages: [{ content: 'hello' }] });
  });

  test('a failed task is reported, retried, and completed at the second attempt', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const agent = mcpClient(hub.url, networkToken);
    await agent.call('report_status', { resume_id: 'b-1', alias: 'bob', status: 'idle' });
    const bobEvents = await openEvents(`${hub.url}/events/bob`, networkToken);
    const taskId = textOf(
      await agent.call('send_task', { alias: 'bob', task: 'lift it', from_session: 'alice' }),
      'task_id',
    );
    await bobEvents.next('new_task', { message_id: taskId });
    await agent.call('send_reply', {
      alias: 'alice',
      text: 'too heavy',
      in_reply_to: taskId,
      status: 'failed',
      from_session: 'bob',
    });

    expect(await agent.call('retry_task', { task_id: taskId })).toEqual({
      ok: true,
      task_id: taskId,
      retried_to: 'bob',
    });
    const second = await bobEvents.next('new_task', { task_id: taskId });
    expect(second.data.message_id).not.toBe(taskId);
    const retried = { status: 'delivered', attempt: 2, result: null, completed_at: null };
    expect(await agent.call('get_task', { task_id: taskId })).toMatchObject({ task: retried });
    const attempt = textOf(second.data, 'message_id');
    await agent.call('send_reply', { alias: 'alice', text: 'lifted', in_reply_to: attempt, from_session: 'bob' });
    expect(await agent.call('get_task', { task_id: taskId })).toMatchObject({
      task: { status: 'replied', result: 'lifted' },
    });
    await expect(agent.call('retry_task', { task_id: taskId })).rejects.toMatchObject({
      error: 'task status is replied, not retryable',
    });
  });
});
