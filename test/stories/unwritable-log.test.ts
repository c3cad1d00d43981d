// A log that cannot be written neither stops the hub nor keeps it from stopping.
import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../scripts/support/free-port.ts';
import { type Process, printed, startProcess } from '../../scripts/support/process.ts';
import { register } from '../support/http/rest-client.ts';
import { cleanUpAfterTest } from '../support/process/failed-tests.ts';
import { programOf } from '../support/process/hub-process.ts';
import { storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';

const START_MS = 10_000;
const FORMATS = ['json', 'text'] as const;

storyOnce('a log that cannot be written', (target) => {
  const [file, args] = programOf(target);

  function start(port: number, format: string, redirection = ''): Process {
    const served = [...args, 'serve', '--port', `${port}`, '--log-format', format, '--data', temporaryDirectory()];
    const hub = startProcess({ file: 'sh', args: ['-c', `exec "$0" "$@" ${redirection}`, file, ...served] });
    cleanUpAfterTest(async () => void (await hub.kill('SIGKILL')));
    return hub;
  }

  async function worksAndStops(hub: Process, url: string): Promise<void> {
    await vi.waitFor(async () => expect((await fetch(`${url}/health`)).status).toBe(200), START_MS);
    const { networkToken } = await register(url);
    expect(networkToken).toMatch(/^ntok_/);
    expect((await fetch(`${url}/api/tasks`)).status).toBe(401); // refusals are logged
    expect(await hub.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  }

  test.each(FORMATS)('as %s: the program that reads it ends', async (format) => {
    const port = await freePort();
    const hub = start(port, format);
    await printed(hub, /(listens on)/, START_MS);
    hub.child.stdout?.destroy();
    await worksAndStops(hub, `http://127.0.0.1:${port}`);
  });

  test.skipIf(!existsSync('/dev/full')).each(FORMATS)('as %s: its disk is full', async (format) => {
    const port = await freePort();
    await worksAndStops(start(port, format, '>/dev/full'), `http://127.0.0.1:${port}`);
  });

  test('nobody reads it: the hub works on when the pipe is full', async () => {
    const port = await freePort();
    const hub = start(port, 'json');
    hub.child.stdout?.pause();
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/health`)).status).toBe(200), START_MS);
    const ask = () => fetch(`${url}/api/${'x'.repeat(2_000)}`).then((response) => response.text());
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 50 }, ask));
    await worksAndStops(hub, url);
  });
});
