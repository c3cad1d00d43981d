// A hub with a receiver for its notifications, and a user who owns a network.
import { NOTIFIER_TIMEOUT_MS } from '../../server/domain/limits.ts';
import type { Notifier } from '../../server/domain/notifiers/notifier.ts';
import type { Settings } from '../../server/domain/settings.ts';
import { createNotifier } from '../../server/operations/notifiers/create-notifier.ts';
import { startDeliveries } from '../../server/operations/notifiers/deliver.ts';
import { listDeliveries } from '../../server/operations/notifiers/list-deliveries.ts';
import { noticeAbandonedTasks } from '../../server/operations/notifiers/notice-abandoned-tasks.ts';
import { noticeNeeds, noticeWaitingTasks } from '../../server/operations/notifiers/notice-needs.ts';
import { noticeStuckAgents } from '../../server/operations/notifiers/notice-stuck-agents.ts';
import { openOutgoing } from '../../server/outgoing/outgoing.ts';
import { as, type Fixture, openFixture, restarted } from './fixture.ts';
import { openReceiver, type Receiver } from './receiver.ts';

export type NotifierFixture = Fixture & {
  receiver: Receiver;
  /** The same user with a user token. */
  user: Fixture;
};

export async function openNotifierFixture(settings: Partial<Settings> = {}): Promise<NotifierFixture> {
  return withReceiver(await openFixture({ notifier_addresses: 'all', ...settings }), await openReceiver());
}

/** `timeoutMs` is short where a test waits for it. */
export function withReceiver(fixture: Fixture, receiver: Receiver, timeoutMs = NOTIFIER_TIMEOUT_MS): NotifierFixture {
  const { notifier_addresses: addresses } = fixture.hub.settings;
  const hub = { ...fixture.hub, outgoing: openOutgoing({ addresses, timeoutMs }) };
  const here = as({ ...fixture, hub }, {});
  return { ...here, receiver, user: as(here, { token_kind: 'user' }) };
}

export async function restartedNotifierFixture(fixture: NotifierFixture): Promise<NotifierFixture> {
  return withReceiver(await restarted(fixture), fixture.receiver);
}

export type Created = { notifier_id: string; secret: string };

export async function notify(fixture: NotifierFixture, rest: object = {}): Promise<Created> {
  const { notifier, secret = '' } = await fixture.user.ask(createNotifier, {
    format: 'webhook',
    url: fixture.receiver.url,
    ...rest,
  });
  return { notifier_id: notifier?.notifier_id ?? '', secret };
}

/** What the sweeps do, with all deliveries that they start. */
export async function sweep({ hub }: NotifierFixture): Promise<void> {
  await noticeNeeds(hub);
  await noticeWaitingTasks(hub);
  await noticeStuckAgents(hub);
  await noticeAbandonedTasks(hub);
  for (let started = await startDeliveries(hub); started.length > 0; started = await startDeliveries(hub))
    await Promise.all(started);
}

export type Body = Record<string, unknown> & Partial<Pick<Notifier, 'name'>>;

/** The bodies that the receiver got. */
export function bodies({ receiver }: NotifierFixture): Body[] {
  return receiver.received.map(({ body }) => JSON.parse(body));
}

export async function log(fixture: NotifierFixture, { notifier_id }: Created) {
  return (await fixture.user.ask(listDeliveries, { notifier_id })).deliveries;
}
