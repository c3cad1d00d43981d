// A lock file or a socket that is deleted while a hub runs. The hub locks its data directory again, so that no second
// hub and no restore can use it, and commands reach it again.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { newCli, run } from '../../support/process/command-line.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { runToItsEnd, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

storyOnce('a lock file that was deleted while the hub runs', (target) => {
  test('is created again, and still keeps a second hub and a restore out', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const backup = join(temporaryDirectory(), 'hub.db');
    const agenthub = (...args: string[]) => run(newCli(target), [...args, '--data', hub.data]);
    expect(await agenthub('backup', backup)).toMatchObject({ code: 0 });
    const lock = join(hub.data, 'agenthub.lock');
    for (let round = 0; round < 2; round++) {
      rmSync(lock);
      await expect.poll(() => existsSync(lock)).toBe(true);
      const isInUse = expect.stringContaining('another agenthub is using this data directory');
      expect(await runToItsEnd({ target, args: ['serve', '--port', '0', '--data', hub.data] })).toMatchObject({
        code: 1,
        stderr: isInUse,
      });
      expect(await agenthub('restore', backup)).toMatchObject({ code: 1, stderr: isInUse });
    }
    const { status } = await restClient(hub.url, networkToken).post('/api/tasks', { alias: 'builder', task: 'Go on' });
    expect(status).toBe(200);
    expect(await hub.stop()).toBe(0);
    expect(await agenthub('restore', backup)).toMatchObject({ code: 0 });
  });
});

storyOnce('a socket that was deleted while the hub runs', (target) => {
  test('is created again, so that commands reach the hub', async () => {
    const { hub } = await hubOfAda({ target });
    const socket = join(hub.data, 'agenthub.sock');
    for (let round = 0; round < 2; round++) {
      rmSync(socket);
      await expect.poll(() => existsSync(socket)).toBe(true);
      expect(await run(newCli(target), ['user', 'list', '--data', hub.data])).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await hub.stop()).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });
});
