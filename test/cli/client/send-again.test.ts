// A send with an idempotency key waits for a hub that restarts; without one, it fails at once.
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf } from '../../support/json.ts';
import { cliFor, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub } from '../../support/process/running-hub.ts';

test('a keyed send is stored once by a hub that was being restarted', async () => {
  const { hub, ...account } = await hubOfAda({ target: ANY_TARGET });
  const cli = cliFor(hub, ANY_TARGET, account);
  await hub.stop();
  const failed = await run(cli, ['task', 'send', 'builder', 'build it']);
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('cannot reach the hub')]);
  const sent = run(cli, ['task', 'send', 'builder', 'build it', '--idempotency-key', 'build-1']);
  const told = run(cli, ['message', 'send', 'builder', 'it is urgent', '--idempotency-key', 'urgent-1']);
  const again = await startHub({ target: ANY_TARGET, data: hub.data, args: ['--port', new URL(hub.url).port] });
  for (const ended of [await sent, await told]) expect(ended).toMatchObject({ code: 0 });
  const { body } = await restClient(again.url, account.networkToken).get('/api/messages?alias=builder');
  expect(
    listOf(body, 'messages')
      .map(({ content }) => content)
      .sort(),
  ).toEqual(['build it', 'it is urgent']);
});
