// What an operator sees of the hub's own removal of old data: one line in the log, and the last run in the diagnostics.
import { expect, test } from 'vitest';
import type { Log } from '../../server/domain/log.ts';
import { timestamp } from '../../server/domain/time/time.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { diagnosticsOf } from '../../server/operations/operator/diagnostics.ts';
import { prune, pruneEvents } from '../../server/sweeps/sweeps.ts';
import { openFixture, send } from '../support/fixture.ts';

const DAY = 86_400_000;
const NOTHING = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };

test('a run that removed something logs one line with the number of each kind', async () => {
  const logged: [string, object, string][] = [];
  const at =
    (level: string): Log['info'] =>
    (fields, message) =>
      void logged.push([level, fields, message]);
  const log: Log = {
    isLevelEnabled: () => true,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
  const fixture = await openFixture({ keep_messages_days: 10 });
  const hub = { ...fixture.hub, log };
  const { retention } = diagnosticsOf(hub);
  expect(retention).toEqual({
    keep_events_hours: 24,
    keep_messages_days: 10,
    keep_tasks_days: 365,
    keep_audit_days: 365,
    last_at: null,
    removed: NOTHING,
  });

  await send(fixture, { task: 'stays' });
  const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'read', from_session: 'ann' });
  await fixture.ask(ackInbox, { alias: 'bob', message_id });
  hub.clock.advance(11 * DAY);
  const { events } = await pruneEvents(hub); // each minute, before the hourly run
  expect(events).toBeGreaterThan(0);
  await prune(hub);
  const removed = { ...NOTHING, events, messages: 1 };
  expect(logged).toEqual([['info', removed, 'old data removed']]);
  expect(diagnosticsOf(hub).retention).toMatchObject({ last_at: timestamp(hub.clock.now()), removed });

  hub.clock.advance(3_600_000);
  await prune(hub);
  expect(logged).toHaveLength(1);
  expect(diagnosticsOf(hub).retention).toMatchObject({ last_at: timestamp(hub.clock.now()), removed: NOTHING });
});
