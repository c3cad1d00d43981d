// Sends a test notification at once and returns how the receiver responded.
import * as v from 'valibot';
import { tooManyNotifierTests } from '../../domain/errors.ts';
import { NOTIFIER_TESTS_PER_MINUTE } from '../../domain/limits.ts';
import { type Need, type Notifier, outcomeRecord } from '../../domain/notifiers/notifier.ts';
import { requestOf } from '../../domain/notifiers/payloads.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import * as deliveries from '../../store/notifiers/deliveries.ts';
import { operation } from '../operation.ts';
import { urlOf } from './deliver.ts';
import { contacting, notifierId } from './notifier-fields.ts';
import { getOwnNotifier } from './own-notifier.ts';

export const testNotifier = operation({
  name: 'test_notifier',
  summary: 'Send a test notification now.',
  access: 'account',
  input: v.object({ notifier_id: notifierId }),
  run: async (hub, caller, { notifier_id }, { store }) => {
    const notifier = await store.read((reader) => getOwnNotifier(reader, caller, notifier_id));
    takeTest(hub, caller.user_id);
    const delivery_id = hub.ids.next('dlv');
    const test = { delivery_id, need: testNeed(notifier, hub.clock.now()), counts: null, is_test: true };
    const request = requestOf(notifier, test, urlOf(hub), hub.clock.now());
    const outcome = await contacting(hub, caller.user_id, () => hub.outgoing.post(request));
    await store.write(async (tx) => {
      const { notifier_seq } = await getOwnNotifier(tx, caller, notifier_id);
      await deliveries.insertTest(tx, { ...test, notifier_seq }, outcome);
    });
    return { ok: true, delivery_id, delivered: outcome.problem === null, ...outcomeRecord(outcome) };
  },
});

function takeTest({ notifiers: { tests }, clock }: Hub, userId: string): void {
  const now = clock.now();
  if (tests.count(userId, now) >= NOTIFIER_TESTS_PER_MINUTE)
    throw tooManyNotifierTests(NOTIFIER_TESTS_PER_MINUTE, Math.ceil((tests.freeAt(userId) - now) / SECOND_MS));
  tests.add(userId, now);
}

function testNeed({ name, network_id }: Notifier, at: Millis): Need {
  return {
    trigger: 'message',
    network_id: network_id ?? '',
    network_name: '',
    title: 'Test from agenthub',
    text: name === '' ? 'This notifier works.' : `The notifier ${name} works.`,
    path: '/',
    alias: 'hub',
    at,
  };
}
