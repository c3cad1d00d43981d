// The file of a running hub is replaced, as an upgrade does it: the hub runs on, and says that it should be restarted.
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printed, startProcess } from '../../scripts/support/process.ts';
import { register, restClient } from '../support/http/rest-client.ts';
import { cleanUpAfterTest } from '../support/process/failed-tests.ts';
import { isBuilt, isJailed, programOf } from '../support/process/hub-process.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';

const START_MS = 10_000;

test.skipIf(!isBuilt('binary') || isJailed)('a hub whose file was replaced, on binary', async () => {
  const [executable] = programOf('binary');
  const directory = temporaryDirectory();
  const [file, next] = [join(directory, 'agenthub'), join(directory, 'next')];
  for (const copy of [file, next]) copyFileSync(executable, copy);
  const hub = startProcess({ file, args: ['serve', '--port', '0', '--data', join(directory, 'data')] });
  cleanUpAfterTest(async () => void (await hub.kill('SIGKILL')));
  const url = await printed(hub, /"url":"([^"]+)","mcp":/, START_MS);
  const rest = restClient(url, (await register(url)).userToken);
  const finding = async () => {
    const { findings } = (await rest.get('/api/diagnostics')).body;
    return JSON.parse(JSON.stringify(findings)).find(({ check }: { check: string }) => check === 'program');
  };
  expect(await finding()).toMatchObject({ level: 'ok' });
  renameSync(next, file);
  expect(await finding()).toMatchObject({ level: 'warn', remedy: 'restart the hub to run the new file' });
});
