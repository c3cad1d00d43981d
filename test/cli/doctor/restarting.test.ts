// doctor on a hub that starts, stops or hangs while it is checked.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { checkFree } from '../../../server/cli/doctor/port.ts';
import { readConfig } from '../../../server/config/config.ts';
import type { Finding } from '../../../server/domain/health/finding.ts';
import { newCli, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { type RunningHub, startHub } from '../../support/process/running-hub.ts';

/** As doctor looks at the port after it has found no hub. */
const look = ({ url, data }: RunningHub): Promise<Finding> =>
  checkFree({ ...readConfig({ flags: {}, env: {} }), host: '127.0.0.1', port: Number(new URL(url).port), data });

test('a hub that has started meanwhile is no problem', async () => {
  expect(await look(await startHub({ target: ANY_TARGET }))).toEqual({
    check: 'port',
    level: 'warn',
    says: 'the hub on this data directory has started while doctor ran',
    remedy: 'run doctor again in a few seconds',
  });
});

test('a hub that holds the port and does not respond is one', async () => {
  const hub = await startHub({ target: ANY_TARGET });
  hub.signal('SIGSTOP');
  expect(await look(hub)).toEqual({
    check: 'port',
    level: 'fail',
    says: `the hub on this data directory holds ${hub.url}, but does not respond`,
    remedy: 'if it is starting, its log says what it waits for; if it hangs, restart it',
  });
});

test('a hub that stops meanwhile is no problem, and only that is said of its port and streams', async () => {
  const port = await freePort();
  let hub: RunningHub | undefined;
  const proxy = createServer(async (_, response) => {
    await hub?.kill('SIGTERM');
    response.writeHead(502).end();
  });
  onTestFinished(() => void proxy.close());
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  hub = await startHub({ target: ANY_TARGET, args: ['--public-url', `http://127.0.0.1:${port}`] });
  const { stdout } = await run(newCli(ANY_TARGET), ['doctor', '--data', hub.data, '-o', 'json']);
  const { checks }: { checks: Finding[] } = JSON.parse(stdout);
  expect(checks.filter(({ check }) => ['port', 'stream', 'public url'].includes(check))).toEqual([
    {
      check: 'port',
      level: 'warn',
      says: 'the hub on this data directory has stopped while doctor ran',
      remedy: 'run doctor again in a few seconds',
    },
  ]);
});
