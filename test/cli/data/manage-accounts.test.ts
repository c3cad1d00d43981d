// Deleting users, rotating tokens, handing over networks and reading the audit log, on a running hub and a stopped one;
// and the questions that precede a deletion on a terminal.
import { describe, expect, test } from 'vitest';
import { openEvents } from '../../support/http/event-reader.ts';
import { register, restClient } from '../../support/http/rest-client.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { type Cli, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { hasTerminal, startOnTerminal } from '../../support/process/terminal.ts';
import { readStoredData } from '../../support/store/stored-data.ts';

const AT_ONCE_MS = 1_000;

const ask = async (cli: Cli, ...words: string[]): Promise<JsonObject> =>
  objectIn(await outputOf(cli, [...words, '-o', 'json']));

const statusWith = async (url: string, token: string): Promise<number> =>
  (await restClient(url, token).get('/api/status')).status;

async function endsWith(act: () => Promise<unknown>, ended: Promise<unknown>): Promise<void> {
  await act();
  const since = performance.now();
  await ended;
  expect(performance.now() - since).toBeLessThan(AT_ONCE_MS);
}

storyOnce('an operator', (target) => {
  test('deletes a user once their networks have a new owner, and their connections end', async () => {
    const { hub, userToken } = await hubOfAda({ target });
    const bob = await register(hub.url, 'bob');
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    expect(await ask(cli, 'user', 'show', 'bob')).toMatchObject({
      user: { username: 'bob', role: 'user', disabled: false },
      networks: [{ network_name: 'bob', role: 'owner' }],
      live_tokens: 2,
    });
    expect(await run(cli, ['user', 'delete', 'bob', '--yes'])).toMatchObject({
      code: 1,
      stderr:
        'agenthub: bob owns the network bob; transfer it with --transfer-to USER, or delete it with --delete-networks\n',
    });
    expect(await run(cli, ['user', 'delete', 'bob', '--transfer-to', 'bob', '--yes'])).toMatchObject({ code: 2 });
    expect(await run(cli, ['user', 'delete', 'bob', '--transfer-to', 'nobody', '--yes'])).toMatchObject({ code: 1 });
    expect(await statusWith(hub.url, bob.networkToken)).toBe(200);

    const stream = await openEvents(`${hub.url}/events/bob`, bob.networkToken);
    await endsWith(() => outputOf(cli, ['user', 'delete', 'bob', '--transfer-to', 'ada', '--yes']), stream.ended);
    expect(await statusWith(hub.url, bob.networkToken)).toBe(401);
    expect((await restClient(hub.url, bob.userToken).get('/api/auth/me')).status).toBe(401);
    expect(listOf(await ask(cli, 'user', 'list'), 'users')).toMatchObject([{ username: 'ada', networks: 2 }]);
    const kept = await restClient(hub.url, userToken).get(`/api/networks/${bob.networkId}`);
    expect(objectOf(kept.body, 'network')).toMatchObject({ member_role: 'owner' });
    expect(listOf(await ask(cli, 'network', 'members', bob.networkId), 'members')).toMatchObject([
      { username: 'ada', role: 'owner' },
    ]);
    expect((await register(hub.url, 'bob')).networkId).not.toBe(bob.networkId);
    expect(await run(cli, ['user', 'delete', 'ada', '--delete-networks', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ada is the only admin of this hub'),
    });
  });

  test('deletes a user of a stopped hub with their networks, and the hub starts without them', async () => {
    const { hub: first } = await hubOfAda({ target });
    const bob = await register(first.url, 'bob');
    await first.stop();
    const cli = newCli(target, { AGENTHUB_DATA: first.data });
    expect(await ask(cli, 'user', 'delete', 'bob', '--delete-networks', '--yes')).toMatchObject({
      username: 'bob',
      transferred: [],
      deleted: ['bob'],
    });
    const again = await startHub({ target, data: first.data });
    expect(await statusWith(again.url, bob.networkToken)).toBe(401);
    expect(listOf(await ask(cli, 'network', 'list'), 'networks')).toMatchObject([{ network_name: 'ada' }]);
    const stored = await readStoredData(first.data);
    await expect.poll(() => stored.rows('SELECT count(*) FROM networks')).toEqual([[1]]);
    stored.close();
  });

  test('rotates a token: the old secret ends at once, and everything else stays', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    const { token_id, token: old } = await ask(cli, 'token', 'create', 'ci', '--user', 'ada');
    const stream = await openEvents(`${hub.url}/events/ci`, String(old));
    let rotated: JsonObject = {};
    await endsWith(async () => {
      rotated = await ask(cli, 'token', 'rotate', String(token_id), '--yes', '--expires-in-days', '2');
    }, stream.ended);
    expect(rotated).toMatchObject({ token_id, name: 'ci', username: 'ada' });
    expect(textOf(rotated, 'token')).not.toBe(old);
    expect(await statusWith(hub.url, String(old))).toBe(401);
    expect(await statusWith(hub.url, textOf(rotated, 'token'))).toBe(200);
    expect(await statusWith(hub.url, networkToken)).toBe(200);
    expect(await ask(cli, 'token', 'show', String(token_id))).toMatchObject({
      token: { name: 'ci', kind: 'network', expired: false, expires_at: expect.stringMatching(/^\d/) },
    });

    const signIn = listOf(await ask(cli, 'token', 'list'), 'tokens').find(({ kind }) => kind === 'user');
    expect(await run(cli, ['token', 'rotate', textOf(signIn ?? {}, 'token_id'), '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a sign-in of ada, which cannot be rotated'),
    });
    expect(await run(cli, ['token', 'rotate', 'tok_none', '--yes'])).toMatchObject({ code: 1 });
  });

  test('lists and withdraws invites, and changes and removes members', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const bob = await register(hub.url, 'bob');
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    expect(await outputOf(cli, ['network', 'invites', 'ada'])).toBe('no invites\n');
    const used = await ask(cli, 'network', 'invite', 'ada');
    const unused = textOf(await ask(cli, 'network', 'invite', 'ada', '--role', 'viewer'), 'invite_id');
    await restClient(hub.url, bob.userToken).post('/api/networks/join', { invite_code: textOf(used, 'invite_code') });
    expect(listOf(await ask(cli, 'network', 'invites', 'ada'), 'invites')).toMatchObject([
      { invite_id: unused, role: 'viewer', uses: 0, max_uses: 1 },
      { invite_id: textOf(used, 'invite_id'), role: 'member', uses: 1 },
    ]);
    const withdraw = ['network', 'withdraw-invite', 'ada', unused, '--yes'];
    expect(await outputOf(cli, withdraw)).toBe(`withdrew ${unused} of ada\n`);
    expect(await run(cli, withdraw)).toMatchObject({ code: 1, stderr: expect.stringContaining('no such invite') });

    expect(await outputOf(cli, ['network', 'set-role', 'ada', 'bob', 'viewer'])).toBe('bob is now a viewer of ada\n');
    expect(listOf(await ask(cli, 'network', 'members', 'ada'), 'members')).toMatchObject([
      { username: 'bob', role: 'viewer' },
      { username: 'ada', role: 'owner' },
    ]);
    expect((await run(cli, ['network', 'set-role', 'ada', 'ada', 'viewer'])).code).not.toBe(0);
    const token = ['token', 'create', 'x', '--user', 'bob', '--network', 'ada'];
    const bobs = (await outputOf(cli, token)).trim();
    expect(await statusWith(hub.url, bobs)).toBe(200);
    const remove = ['network', 'remove-member', 'ada', 'bob', '--yes'];
    expect(await outputOf(cli, remove)).toBe('removed bob from ada\n');
    expect(await statusWith(hub.url, bobs)).toBe(401);
    expect(await statusWith(hub.url, networkToken)).toBe(200);
    expect((await run(cli, remove)).code).toBe(1);
    const entries = listOf(await ask(cli, 'audit', 'log', '--actor', 'command line', '--limit', '4'), 'entries');
    expect(entries.map(({ action }) => action)).toContain('member.remove');
  });

  test('renames a network, hands it over, invites to it, and finds it all in the audit log', async () => {
    const { hub, networkId } = await hubOfAda({ target });
    const bob = await register(hub.url, 'bob');
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    expect(await outputOf(cli, ['network', 'rename', 'ada', 'build'])).toBe(`renamed ${networkId} from ada to build\n`);
    const invite = await ask(cli, 'network', 'invite', 'build', '--role', 'viewer', '--uses', '2');
    expect(invite).toMatchObject({ role: 'viewer', max_uses: 2, url: hub.url });
    const joined = await restClient(hub.url, bob.userToken).post('/api/networks/join', {
      invite_code: textOf(invite, 'invite_code'),
    });
    expect(joined).toMatchObject({ status: 200 });
    expect(await ask(cli, 'network', 'show', 'build')).toMatchObject({
      network: { network_id: networkId, owner: 'ada', members: 2 },
      open_invites: 1,
    });
    await outputOf(cli, ['network', 'transfer', 'build', 'bob']);
    expect(listOf(await ask(cli, 'network', 'members', 'build'), 'members')).toMatchObject([
      { username: 'bob', role: 'owner' },
      { username: 'ada', role: 'member' },
    ]);
    expect(await run(cli, ['network', 'transfer', 'build', 'bob'])).toMatchObject({
      code: 2,
      stderr: 'agenthub: bob already owns the network build\n',
    });

    const actions = async (...filter: string[]) =>
      listOf(await ask(cli, 'audit', 'log', ...filter), 'entries').map(({ action }) => action);
    expect(await actions('--actor', 'command line')).toEqual(['network.transfer', 'invite.create', 'network.update']);
    expect(await actions('--network', 'build', '--action', 'invite.create')).toEqual(['invite.create']);
    const page = await ask(cli, 'audit', 'log', '--actor', 'command line', '--limit', '2');
    expect(await actions('--actor', 'command line', '--cursor', textOf(page, 'next_cursor'))).toEqual([
      'network.update',
    ]);
    expect(await run(cli, ['audit', 'log', '--network', 'nowhere'])).toMatchObject({ code: 1 });
  });
});

storyOnce('a deletion without a terminal', (target) => {
  test.each([
    'network delete ada',
    'user delete ada --delete-networks --force',
    'token revoke tok_any',
    'token rotate tok_any',
    'agent forget builder --network ada',
    'network remove-member ada bob',
    'network withdraw-invite ada ivt_any',
    'prune',
  ])('is refused without --yes, and changes nothing: %s', async (command) => {
    const { hub } = await hubOfAda({ target });
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    const before = listOf(await ask(cli, 'token', 'list'), 'tokens');
    expect(await run(cli, command.split(' '))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'agenthub: nothing was changed: this command asks for confirmation; without a terminal, pass --yes\n',
    });
    expect(listOf(await ask(cli, 'token', 'list'), 'tokens')).toEqual(before);
    expect(listOf(await ask(cli, 'network', 'list'), 'networks')).toHaveLength(1);
    expect(listOf(await ask(cli, 'audit', 'log', '--actor', 'command line'), 'entries')).toEqual([]);
  });
});

describe.skipIf(!hasTerminal)('a deletion on a terminal', () => {
  test('says what goes and asks; only yes deletes', async () => {
    const { hub, networkId } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
    const refused = startOnTerminal(cli, ['network', 'delete', 'ada']);
    await refused.shows(`This deletes the network ada (${networkId}) of ada with everything in it:`);
    await refused.shows('Continue? [y/N] ');
    refused.type('\r');
    expect(await refused.ended).toBe(1);
    expect(refused.screen()).toContain('agenthub: nothing was changed');
    expect(listOf(await ask(cli, 'network', 'list'), 'networks')).toHaveLength(1);

    const accepted = startOnTerminal(cli, ['network', 'delete', 'ada']);
    await accepted.shows('Continue? [y/N] ');
    accepted.type('y\r');
    expect(await accepted.ended).toBe(0);
    expect(listOf(await ask(cli, 'network', 'list'), 'networks')).toHaveLength(0);
  });

  test('does not ask with --yes', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const terminal = startOnTerminal(newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data }), [
      'network',
      'delete',
      'ada',
      '--yes',
    ]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).not.toContain('Continue?');
  });
});
