// Who is no longer notified: users who lose their access to a network, and disabled users. What was queued before is
// not sent either.
import { expect, test } from 'vitest';
import type { Caller } from '../../server/domain/accounts/caller.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { createInvite } from '../../server/operations/networks/create-invite.ts';
import { deleteNetwork } from '../../server/operations/networks/delete-network.ts';
import { joinNetwork } from '../../server/operations/networks/join-network.ts';
import { removeMember } from '../../server/operations/networks/remove-member.ts';
import { createNotifier } from '../../server/operations/notifiers/create-notifier.ts';
import { listDeliveries } from '../../server/operations/notifiers/list-deliveries.ts';
import { noticeNeeds } from '../../server/operations/notifiers/notice-needs.ts';
import { disableUser, enableUser } from '../../server/operations/operator/users/set-disabled.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { as, type Fixture, outcomeOf, report, rowsOf } from '../support/fixture.ts';
import { bodies, type NotifierFixture, notify, openNotifierFixture, sweep } from '../support/notifier-fixture.ts';

type WithAnn = NotifierFixture & { ann: Fixture; annId: string };

/** Ann has joined the network of the fixture, and has a notifier of her own. */
async function openWithAnn(): Promise<WithAnn> {
  const fixture = await openNotifierFixture();
  const { network_id } = fixture.caller;
  const visitor = as(fixture, { ip: '127.0.0.1' });
  const { token, user } = await visitor.ask(register, { username: 'ann', password: 'secret' });
  const { invite_code } = await fixture.user.ask(createInvite, { network_id });
  await as(fixture, await callerOf(fixture, token)).ask(joinNetwork, { invite_code });
  const ann = as(fixture, await callerOf(fixture, token));
  await ann.ask(createNotifier, { format: 'webhook', url: fixture.receiver.url });
  await noticeNeeds(fixture.hub);
  return { ...fixture, ann, annId: user.user_id };
}

async function callerOf({ hub }: Fixture, token: string): Promise<Caller> {
  const caller = await identify(hub, token, '127.0.0.1');
  if (caller === undefined) throw new Error('the token is not known');
  const { access_version: _, ...rest } = caller;
  return rest;
}

test('a removed member gets no more notifications, not even queued ones', async () => {
  const fixture = await openWithAnn();
  await report(fixture, 'bob', { status: 'error' });
  await noticeNeeds(fixture.hub);
  await fixture.user.ask(removeMember, { network_id: fixture.caller.network_id, user_id: fixture.annId });
  await report(fixture, 'carol', { status: 'error' });
  await sweep(fixture);
  expect(bodies(fixture)).toEqual([]);
  const deliveries = await rowsOf(fixture, 'SELECT status, problem FROM deliveries');
  expect(deliveries).toEqual([{ status: 'failed', problem: 'access_ended' }]);
});

test('a disabled user gets nothing, and after they are enabled nothing from before', async () => {
  const fixture = await openWithAnn();
  await disableUser.run(fixture.hub, { user: 'ann' });
  await report(fixture, 'bob', { status: 'error' });
  await sweep(fixture);
  await enableUser.run(fixture.hub, { user: 'ann' });
  await sweep(fixture);
  await report(fixture, 'carol', { status: 'error' });
  await sweep(fixture);
  expect(bodies(fixture).map(({ title }) => title)).toEqual(['carol reported an error']);
});

test('only the owner of a network can have notifiers for it, and they are deleted with the network', async () => {
  const fixture = await openWithAnn();
  const { network_id } = fixture.caller;
  const url = fixture.receiver.url;
  expect(await outcomeOf(fixture.ann.ask(createNotifier, { format: 'webhook', url, network_id }))).toBe('forbidden');
  const { notifier_id } = await notify(fixture, { network_id });
  expect(await outcomeOf(fixture.ann.ask(listDeliveries, { notifier_id }))).toBe('not_found');
  await report(fixture, 'bob', { status: 'error' });
  await noticeNeeds(fixture.hub);
  await report(fixture, 'bob', { status: 'offline' });
  await fixture.user.ask(deleteNetwork, { network_id });
  await sweep(fixture);
  expect(bodies(fixture)).toEqual([]);
  expect(await rowsOf(fixture, 'SELECT notifier_id FROM notifiers WHERE network_seq IS NOT NULL')).toEqual([]);
  expect(await rowsOf(fixture, "SELECT status FROM deliveries WHERE status = 'pending'")).toEqual([]);
});

test('creating, changing and deleting are in the audit log, without the URL', async () => {
  const fixture = await openWithAnn();
  const { notifier_id } = await notify(fixture, { network_id: fixture.caller.network_id });
  const entries = await rowsOf(
    fixture,
    "SELECT action, detail FROM audit_log WHERE target_id = ? AND action LIKE 'notifier%'",
    notifier_id,
  );
  expect(entries).toEqual([{ action: 'notifier.create', detail: `webhook, ${new URL(fixture.receiver.url).host}` }]);
});
