// A full disk keeps nobody's access: the user who filled it can be shut out before there is space again.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RestClient, register, restClient } from '../../support/http/rest-client.ts';
import { textOf } from '../../support/json.ts';
import { type RunningHub, runToItsEnd, startHub, storyOnce } from '../../support/process/running-hub.ts';
import { canMount, smallDisk } from '../../support/process/small-disk.ts';

const RESERVE = 'agenthub.db-reserve';

storyOnce('a disk that a member has filled', (target) => {
  test.skipIf(!canMount)('does not keep the tokens of the member, and takes no send until there is space', async () => {
    const { data, ...disk } = smallDisk();
    const hub = await startHub({ target, data });
    const ada = await register(hub.url);
    const mallory = await register(hub.url, 'mallory');
    const user = restClient(hub.url, ada.userToken);
    const agents = await Promise.all(Array.from({ length: 30 }, (_, number) => newAgent(hub, user, number)));
    const network = `/api/networks/${ada.networkId}`;
    const { body: invite } = await user.post(`${network}/invite`, { max_uses: 9 });
    await restClient(hub.url, mallory.userToken).post('/api/networks/join', {
      invite_code: textOf(invite, 'invite_code'),
    });
    expect(statSync(join(data, RESERVE)).size).toBe(2 * 1024 ** 2);
    disk.fill();
    await untilFull(hub, ada.networkToken);

    for (const { client, tokenId } of agents) {
      expect((await client.get('/api/tasks')).status).toBe(200);
      expect(await remove(hub, ada.userToken, `/api/tokens/${tokenId}`)).toBe(200);
      expect((await client.get('/api/tasks')).status).toBe(401);
    }
    expect(existsSync(join(data, RESERVE))).toBe(false);
    const member = `${network}/members/${textOf(mallory.user, 'user_id')}`;
    const invited = `${network}/invites/${textOf(invite, 'invite_id')}`;
    for (const path of [member, invited]) expect(await remove(hub, ada.userToken, path)).toBe(200);
    const disabled = await runToItsEnd({ target, args: ['user', 'disable', 'mallory', '--data', data] });
    expect(disabled).toMatchObject({ code: 0 });
    expect((await restClient(hub.url, mallory.userToken).get('/api/networks')).status).toBe(401);
    const deletes = ['user', 'delete', 'mallory', '--transfer-to', 'ada', '--yes', '--data', data];
    expect(await runToItsEnd({ target, args: deletes })).toMatchObject({ code: 0 });
    const sent = await restClient(hub.url, ada.networkToken).post('/api/tasks', { alias: 'bob', task: 'x' });
    expect([sent.status, sent.body['error']]).toEqual([503, 'storage_full']);
    expect((await user.post('/api/tokens', { name: 'more' })).status).toBe(503);

    await hub.kill('SIGKILL');
    const next = await startHub({ target, data });
    for (const { token } of agents) expect((await restClient(next.url, token).get('/api/tasks')).status).toBe(401);
    disk.free();
    const again = restClient(next.url, ada.networkToken);
    await expect.poll(async () => (await again.post('/api/tasks', { alias: 'bob', task: 'x' })).status).toBe(200);
    expect(statSync(join(data, RESERVE)).size).toBe(2 * 1024 ** 2);
  });
});

async function newAgent(hub: RunningHub, user: RestClient, number: number) {
  const { body } = await user.post('/api/tokens', { name: `agent ${number}` });
  const token = textOf(body, 'token');
  return { token, tokenId: textOf(body, 'token_id'), client: restClient(hub.url, token) };
}

async function remove({ url }: RunningHub, userToken: string, path: string): Promise<number> {
  const headers = { Authorization: `Bearer ${userToken}` };
  return (await fetch(url + path, { method: 'DELETE', headers })).status;
}

async function untilFull(hub: RunningHub, token: string): Promise<void> {
  const send = () => restClient(hub.url, token).post('/api/tasks', { alias: 'bob', task: 'x'.repeat(9_000) });
  await expect.poll(async () => (await send()).body['error']).toBe('storage_full');
}
