// Faults in task transitions, message delivery and event streams.
import { deliveryMarks } from '../delivery/delivery-marks.ts';
import { exactlyOnce } from '../delivery/exactly-once.ts';
import { races } from '../delivery/races.ts';
import { stalledReaders } from '../delivery/stalled-readers.ts';
import { streamReplay } from '../delivery/stream-replay.ts';
import { retention } from '../storage/retention.ts';
import type { Fault } from './fault.ts';

export const WORK_FAULTS: readonly Fault[] = [
  {
    name: 'the transition guard missing',
    file: 'server/domain/task.ts',
    find: '  if (!mayMove(task, verb)) throw',
    put: '  if (!mayMove(task, verb) && verb === undefined) throw',
    row: races,
    expected: /winners/,
  },
  {
    name: 'replay starts one event late',
    file: 'server/operations/records/follow-events.ts',
    find: 'return { position: wanted };',
    put: 'return { position: wanted + 1 };',
    row: streamReplay,
    expected: /[1-9]\d* gaps/,
  },
  {
    name: 'replay starts one event early',
    file: 'server/operations/records/follow-events.ts',
    find: 'return { position: wanted };',
    put: 'return { position: Math.max(0, wanted - 1) };',
    row: streamReplay,
    expected: /[1-9]\d* duplicates/,
  },
  {
    name: 'unlimited writes to a slow reader',
    file: 'server/http/streams/stream-writer.ts',
    find: 'const BEHIND_BYTES = 16 * 1024;',
    put: 'const BEHIND_BYTES = Infinity;',
    row: stalledReaders,
    expected: /memory grew|left open/,
  },
  {
    name: 'the result of an idempotency key lost',
    file: 'server/operations/messages/send-once.ts',
    find: 'if (first !== undefined) return first;',
    put: 'if (first !== undefined && tx.now < 0) return first;',
    row: exactlyOnce,
    expected: /tasks stored/,
  },
  {
    name: 'a second push marked as the first',
    file: 'server/store/messages.ts',
    find: ' AND messages.notified_at IS NULL',
    put: '',
    row: deliveryMarks,
    expected: /notified_at of \S+ went from/,
  },
  {
    name: 'an acknowledgement written after its response',
    file: 'server/operations/agents/ack-inbox.ts',
    find: 'store.write(async (tx) => {',
    put: '((work) => (setTimeout(() => void store.write(work), 20), Promise.resolve({ ok: true })))(async (tx) => {',
    row: deliveryMarks,
    expected: /the acknowledged message \S+ came again/,
  },
  {
    name: 'a reader from before the retained events resumed',
    file: 'server/operations/records/follow-events.ts',
    find: "if (wanted < after) return { position: latest, resync: 'events since the last event id are no longer available' };",
    put: '',
    row: retention,
    expected: /resumed without resync/,
  },
];
