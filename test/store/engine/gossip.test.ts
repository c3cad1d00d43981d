// What a hub keeps only in memory holds over all hubs on one PostgreSQL database.
import { describe, expect, test } from 'vitest';
import { DUPLICATE_SENDS, LOGIN_PER_MINUTE, MAX_TEXT } from '../../../server/domain/limits.ts';
import type { Settings } from '../../../server/domain/settings.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { loopKey } from '../../../server/operations/messages/send-once.ts';
import { perform } from '../../../server/operations/operation.ts';
import { outcomeOf } from '../../support/fixture.ts';
import { SERVER } from '../../support/store/postgres.ts';
import { DEFAULT_SETTINGS, foundNetwork, openTwoHubs } from '../../support/test-hub.ts';

/** Each hears the other. */
async function openListening(): Promise<Awaited<ReturnType<typeof openTwoHubs>>> {
  const hubs = await openTwoHubs();
  for (const [here, there] of [hubs, hubs.toReversed()])
    await expect
      .poll(() => {
        here?.failedLogins.add('first', here.clock.now());
        return there?.failedLogins.count('first', there.clock.now());
      })
      .toBeGreaterThan(0);
  return hubs;
}

describe.skipIf(SERVER === undefined)('what hubs tell each other', () => {
  test('the same messages, sent in turn', async () => {
    const hubs = await openListening();
    const caller = await foundNetwork(hubs[0]);
    const sent = { alias: 'bob', message: 'again', from_session: 'alice' };
    const outcomes: string[] = [];
    for (let n = 0; n < DUPLICATE_SENDS; n++) {
      const [hub, other] = n % 2 === 0 ? hubs : [hubs[1], hubs[0]];
      outcomes.push(await outcomeOf(perform(sendMessage, hub, caller, sent)));
      const key = loopKey(caller.network_id, 'alice', 'bob', 'again');
      const counted = Math.min(n + 1, DUPLICATE_SENDS - 1);
      await expect.poll(() => other.recentSends.count(key, other.clock.now())).toBe(counted);
    }
    expect(outcomes.slice(0, -1)).toEqual(Array(DUPLICATE_SENDS - 1).fill('ok'));
    expect(outcomes.at(-1)).toBe('duplicate_send');
  });

  test('wrong passwords, but not a correct one', async () => {
    const [here, there] = await openListening();
    await foundNetwork(here);
    const guess = () => outcomeOf(perform(login, here, { ip: '192.0.2.1' }, { username: 'ada', password: 'wrong' }));
    const counted = () => there.failedLogins.count('anywhere ada', there.clock.now());
    for (let n = 1; n <= LOGIN_PER_MINUTE; n++) {
      expect(await guess()).toBe('invalid_credentials');
      await expect.poll(counted).toBe(n);
    }
    const right = { username: 'ada', password: 'correct horse' };
    expect(await outcomeOf(perform(login, there, { ip: '192.0.2.2' }, right))).toBe('rate_limited');
    const undo = here.failedLogins.add('anywhere ben', here.clock.now());
    await expect.poll(() => there.failedLogins.count('anywhere ben', there.clock.now())).toBe(1);
    undo();
    await expect.poll(() => there.failedLogins.count('anywhere ben', there.clock.now())).toBe(0);
  });

  test('more than one notification holds, and never a hub its own', async () => {
    const [here, there] = await openListening();
    const now = here.clock.now();
    const keys = Array.from({ length: 300 }, (_, n) => `${n} ${'ä'.repeat(200)}`);
    for (const key of keys) here.recentSends.add(key, now);
    await expect.poll(() => keys.filter((key) => there.recentSends.count(key, now) === 1)).toHaveLength(300);
    expect(keys.every((key) => here.recentSends.count(key, now) === 1)).toBe(true);
    here.failedLogins.add('x'.repeat(MAX_TEXT), now); // no notification can hold it
    here.failedLogins.add('after', now);
    here.failedLogins.add('last', now);
    await expect.poll(() => there.failedLogins.count('last', now)).toBe(1);
  });

  test('the requests and broadcasts of a token in this minute', async () => {
    const [here, there] = await openListening();
    const now = here.clock.now();
    for (let n = 0; n < 3; n++) here.rates.take('token', 4, now);
    here.networkBytes.add('after them', 1);
    await expect.poll(() => there.networkBytes.of('after them')).toBe(1);
    expect(there.rates.take('token', 3, now)).toBeGreaterThan(0);
    expect(there.rates.take('token', 4, now)).toBeUndefined();
  });

  test('the bytes and nodes of a network', async () => {
    const [here, there] = await openListening();
    there.nodeCounts.set('net_1', 7);
    const undo = here.networkBytes.add('net_1', 1_000);
    await expect.poll(() => there.networkBytes.of('net_1')).toBe(1_000);
    undo();
    here.nodeCounts.set('net_1', 8);
    await expect.poll(() => [there.networkBytes.of('net_1'), there.nodeCounts.of('net_1')]).toEqual([0, undefined]);
  });

  test('changes of accounts, and of notifiers', async () => {
    const [here, there] = await openListening();
    const changes: unknown[] = [];
    there.changes.watch((change) => changes.push(change));
    const version = there.notifiers.version(1);
    here.changes.announce({ what: 'members', network_id: 'net_1' }, { what: 'users' });
    here.notifiers.forget();
    await expect.poll(() => changes).toEqual([{ what: 'members', network_id: 'net_1' }, { what: 'users' }]);
    await expect.poll(() => there.notifiers.version(1)).not.toBe(version);
  });

  test('their settings, and those that differ are known for three minutes', async () => {
    const [here, there] = await openListening();
    const told = (settings: Partial<Settings> = {}) =>
      here.otherSettings.tell('one:7878', { ...DEFAULT_SETTINGS, ...settings }, here.clock.now());
    const known = () => there.otherSettings.list(DEFAULT_SETTINGS, there.clock.now());
    const ofOneMachine = { host: '0.0.0.0', tls_cert: '/etc/hub.pem', metrics_token: 'a secret of 16 letters' };
    told({ ...ofOneMachine, registration: 'closed', max_tokens: 7, allowed_hosts: ['a.example.org', 'b.example.org'] });
    await expect.poll(known).toEqual([
      [
        'one:7878',
        [
          { key: 'allowed_hosts', here: '', there: 'a.example.org,b.example.org' },
          { key: 'registration', here: 'open', there: 'closed' },
          { key: 'max_tokens', here: '1000', there: '7' },
        ],
      ],
    ]);
    there.clock.advance(180_000);
    expect(known()).toHaveLength(1);
    there.clock.advance(1);
    expect(known()).toEqual([]);
    told({ public_url: 'https://hub.example.org' });
    told(ofOneMachine);
    here.networkBytes.add('after them', 1);
    await expect.poll(() => there.networkBytes.of('after them')).toBe(1);
    expect(known()).toEqual([]);
  });

  test('what the hooks of a session have reported and been told', async () => {
    const [here, there] = await openListening();
    const now = here.clock.now();
    const [one, other] = [here, there].map((hub) => hub.hookSessions.of('net_1', 'bob', 's-1'));
    if (one === undefined || other === undefined) throw new Error('no session');
    expect(one.isReportDue('working', now)).toBe(true);
    one.arrive('prompt', now);
    one.told('turn end', 5, 5);
    await expect.poll(() => [other.toldUpTo(), other.isInTurn(now), other.extensions()]).toEqual([5, true, 1]);
    expect(other.isReportDue('working', now)).toBe(false);
    // The hub that learns from the next event that the mention was passed on stores that, and only that one.
    other.arrive('tool', now);
    expect([other.takeTold(), other.takeRead()]).toEqual([5, [5]]);
    one.forgetReport();
    await expect.poll(() => other.isReportDue('working', now)).toBe(true);
    expect([one.toldUpTo(), one.takeTold(), one.takeRead()]).toEqual([5, undefined, []]);
    other.arrive('session end', now);
    await expect.poll(() => one.hasEnded()).toBe(true);
  });
});
