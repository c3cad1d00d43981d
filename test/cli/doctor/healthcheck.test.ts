// healthcheck with a data directory: only the hub that runs on it counts, and one that hangs is given up.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newCli, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, temporaryDirectory } from '../../support/process/running-hub.ts';

const check = (args: readonly string[], env = {}) => run(newCli(ANY_TARGET), ['healthcheck', ...args], { env });
const notRunning = (data: string) => ({ code: 1, stdout: '', stderr: `agenthub: no hub is running on ${data}\n` });

test('a hub on another directory does not count, wherever the port comes from', async () => {
  const other = await startHub({ target: ANY_TARGET });
  const { port } = new URL(other.url);
  const AGENTHUB_PORT = port;
  const { hub } = await hubOfAda({ target: ANY_TARGET });
  expect(await hub.stop()).toBe(0);
  for (const data of [hub.data, join(temporaryDirectory(), 'none')]) {
    expect(await check(['--data', data, '--port', port])).toMatchObject(notRunning(data));
    expect(await check(['--data', data], { AGENTHUB_PORT })).toMatchObject(notRunning(data));
    expect(await check([], { AGENTHUB_PORT, AGENTHUB_DATA: data })).toMatchObject(notRunning(data));
  }
  expect(await check(['--port', port])).toMatchObject({ code: 0, stderr: '' });
  expect(await check([], { AGENTHUB_PORT })).toMatchObject({ code: 0, stderr: '' });
  expect(await check([], { AGENTHUB_DATA: other.data })).toMatchObject({ code: 0, stderr: '' });
  expect(await check(['--data', other.data, '--port', '9'])).toMatchObject({ code: 0, stderr: '' });
});

test('a hub that hangs is given up after the timeout', async () => {
  const hub = await startHub({ target: ANY_TARGET });
  hub.signal('SIGSTOP');
  const start = performance.now();
  const { code, stderr } = await check(['--data', hub.data, '--timeout', '1']);
  hub.signal('SIGCONT');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `agenthub: the hub that runs on ${hub.data} does not respond\n`,
  });
  expect(performance.now() - start).toBeLessThan(10_000);
});
