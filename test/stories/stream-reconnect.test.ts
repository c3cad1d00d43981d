// A reader of the event stream and the hub go away. The reader reconnects with its last id and misses nothing.
import { expect, test } from 'vitest';
import { type EventReader, openEvents } from '../support/http/event-reader.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';

storyOnce('a reconnecting reader', (target) => {
  for (const end of ['SIGTERM', 'SIGKILL'] as const) {
    test(`events missed before and after a restart by ${end} are replayed in order, once, followed by live events`, async () => {
      const { hub: first, networkToken } = await hubOfAda({ target });
      const before = mcpClient(first.url, networkToken);
      const reader = await openEvents(`${first.url}/events/bob`, networkToken);
      await before.call('send_message', { alias: 'bob', message: 'received before', from_session: 'alice' });
      await reader.next('new_message', { message: 'received before' });
      await reader.close();
      const lastEventId = reader.lastEventId() ?? '';
      for (const message of ['missed 1', 'missed 2'])
        await before.call('send_message', { alias: 'bob', message, from_session: 'alice' });
      await before.call('send_message', { alias: 'carol', message: 'not for bob', from_session: 'alice' });
      await first.kill(end);

      const second = await startHub({ target, data: first.data });
      const after = mcpClient(second.url, networkToken);
      await after.call('send_message', { alias: 'bob', message: 'missed 3', from_session: 'alice' });
      const returned = await openEvents(`${second.url}/events/bob`, networkToken, { lastEventId });
      await returned.next('new_message', { message: 'missed 3' });
      await after.call('send_message', { alias: 'bob', message: 'live', from_session: 'alice' });
      await returned.next('new_message', { message: 'live' });
      expect(messagesOf(returned)).toEqual(['missed 1', 'missed 2', 'missed 3', 'live']);
    });
  }

  test('a reader disconnected before its first event resumes where it was, and one without an id gets only new events', async () => {
    const { hub: first, networkToken } = await hubOfAda({ target });
    const early = await openEvents(`${first.url}/events/bob`, networkToken);
    await expect.poll(early.lastEventId).toBeDefined();
    await early.close();
    await mcpClient(first.url, networkToken).call('send_message', {
      alias: 'bob',
      message: 'missed',
      from_session: 'alice',
    });
    await first.kill('SIGKILL');

    const second = await startHub({ target, data: first.data });
    const url = `${second.url}/events/bob`;
    const lastEventId = early.lastEventId() ?? '';
    const resumed = await openEvents(url, networkToken, { lastEventId });
    const byQuery = await openEvents(`${url}?last_event_id=${lastEventId}`, networkToken);
    const fresh = await openEvents(url, networkToken);
    await mcpClient(second.url, networkToken).call('send_message', {
      alias: 'bob',
      message: 'live',
      from_session: 'alice',
    });
    for (const reader of [resumed, byQuery, fresh]) await reader.next('new_message', { message: 'live' });
    expect([resumed, byQuery, fresh].map(messagesOf)).toEqual([['missed', 'live'], ['missed', 'live'], ['live']]);
  });

  test('a reader with an id of another hub gets a resync, then live events', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    for (const lastEventId of ['elsewhere-3', 'no id at all']) {
      const reader = await openEvents(`${hub.url}/events/bob`, networkToken, { lastEventId });
      const resync = await reader.next('resync');
      expect(resync.data).toMatchObject({ type: 'resync', reason: expect.any(String), id: reader.lastEventId() });
      await mcpClient(hub.url, networkToken).call('send_message', {
        alias: 'bob',
        message: lastEventId,
        from_session: 'alice',
      });
      await reader.next('new_message', { message: lastEventId });
    }
  });
});

function messagesOf(reader: EventReader): unknown[] {
  return reader
    .arrived()
    .filter(({ name }) => name === 'new_message')
    .map(({ data }) => data.message);
}
