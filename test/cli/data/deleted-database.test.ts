// Commands on a running hub whose database file was deleted or replaced: none gives advice that would lose the data
// that the hub still has, none opens the other file, and a backup has all data of the hub.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyDeletedDatabase } from '../../../server/cli/data/deleted-database.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { newCli, run } from '../../support/process/command-line.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

storyOnce('a database file that was deleted while the hub runs', (target) => {
  const agenthub = (...args: string[]) => run(newCli(target), args);
  const rescued = (data: string) =>
    `${join(data, 'agenthub.db')} was deleted or replaced, but the hub that runs there still has all its data: do not stop it; `;

  test.each([
    ['alone', ['agenthub.db']],
    ['with its log', ['agenthub.db', 'agenthub.db-wal', 'agenthub.db-shm']],
  ])('%s: commands say that the hub still has its data, and to keep it running', async (_, files) => {
    const { hub } = await hubOfAda({ target });
    for (const name of files) rmSync(join(hub.data, name));
    for (const args of [['user', 'list'], ['user', 'show', 'ada'], ['export'], ['doctor', '--repair']])
      expect(await agenthub(...args, '--data', hub.data)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(rescued(hub.data)),
      });
    const { stdout } = await agenthub('doctor', '--data', hub.data, '-o', 'json');
    expect(JSON.parse(stdout).checks).toContainEqual({
      check: 'database',
      level: 'fail',
      says: `${join(hub.data, 'agenthub.db')} was deleted or replaced while the hub runs`,
      remedy: expect.stringContaining('do not stop the hub'),
    });
    expect(await runToItsEnd({ target, args: ['serve', '--port', '0', '--data', hub.data] })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`another agenthub is using this data directory (PID ${hub.pid}`),
    });
    await hub.kill('SIGKILL');
    expect((await agenthub('user', 'list', '--data', hub.data)).stderr).not.toContain('do not stop it');
  });

  test.skipIf(process.platform !== 'linux')('a backup has all data of the hub, and can be restored', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const send = (task: string, url = hub.url) =>
      restClient(url, networkToken).post('/api/tasks', { alias: 'builder', task });
    for (let number = 0; number < 20; number++) await send(`before ${number}`);
    rmSync(join(hub.data, 'agenthub.db'));
    // Of what a copy would not have, nothing is acknowledged.
    expect(await send('after')).toMatchObject({ status: 503, body: { error: 'database_gone' } });
    const directory = temporaryDirectory();
    const file = join(directory, 'rescued.db');
    const { code, stdout, stderr } = await agenthub('backup', file, '--data', hub.data);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^backed up to \S+ \(\d\.\d MB, checked\)\n$/),
      stderr: expect.stringContaining(`stop the hub, then run agenthub restore ${file}`),
    });
    expect(readdirSync(directory)).toEqual(['rescued.db']);
    await hub.stop();
    const restored = await agenthub('restore', file, '--data', hub.data);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('20 tasks') });
    const again = await startHub({ target, data: hub.data });
    expect((await send('and on', again.url)).status).toBe(200);
  });

  test.skipIf(process.platform !== 'linux')(
    'replaced by an older one: no command opens it, and the hub keeps its data',
    async () => {
      const { hub, networkToken } = await hubOfAda({ target });
      const send = (task: string, url = hub.url) =>
        restClient(url, networkToken).post('/api/tasks', { alias: 'builder', task });
      const directory = temporaryDirectory();
      const [old, file] = [join(directory, 'old.db'), join(directory, 'rescued.db')];
      expect(await agenthub('backup', old, '--data', hub.data)).toMatchObject({ code: 0, stderr: '' });
      for (let number = 0; number < 20; number++) await send(`before ${number}`);
      copyFileSync(old, join(hub.data, 'other.db'));
      renameSync(join(hub.data, 'other.db'), join(hub.data, 'agenthub.db'));
      for (const args of [['doctor'], ['user', 'list'], ['export'], ['doctor', '--repair']]) {
        const { stdout, stderr } = await agenthub(...args, '--data', hub.data);
        expect(stdout + stderr).toContain('agenthub.db was deleted or replaced');
      }
      expect(await send('after')).toMatchObject({ status: 503, body: { error: 'database_gone' } });
      expect(await agenthub('backup', file, '--data', hub.data)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(`stop the hub, then run agenthub restore ${file}`),
      });
      await hub.stop();
      expect(await agenthub('restore', file, '--data', hub.data)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('20 tasks'),
      });
      const again = await startHub({ target, data: hub.data });
      expect((await send('and on', again.url)).status).toBe(200);
    },
  );

  test('a backup of another process is refused', async () => {
    const data = temporaryDirectory();
    mkdirSync(join(data, 'copies'));
    writeFileSync(join(data, 'agenthub.db'), 'mine');
    expect(copyDeletedDatabase(data, process.pid, join(data, 'copies', 'agenthub.db'))).toBe(false);
    expect(existsSync(join(data, 'copies', 'agenthub.db'))).toBe(false);
  });
});
