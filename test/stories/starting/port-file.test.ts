// A script starts a hub on a free port and reads the port from a file.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { isJailed } from '../../support/process/hub-process.ts';
import { expectRefusal, on } from '../../support/process/refused-start.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

storyOnce('a hub with --port-file', (target) => {
  test('writes the port once it serves requests, and removes the file when it stops', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'port');
    const hub = await startHub({ target, args: ['--port-file', file] });
    await expect.poll(() => existsSync(file)).toBe(true);
    const content = readFileSync(file, 'utf8');
    expect(content).toBe(`${new URL(hub.url).port}\n`);
    expect((await restClient(`http://127.0.0.1:${content.trim()}`).get('/health')).status).toBe(200);
    expect(await hub.stop()).toBe(0);
    expect(readdirSync(directory)).toEqual([]);
  });

  test.skipIf(isJailed)('replaces the file of a hub that was killed, and keeps that of another', async () => {
    const file = join(temporaryDirectory(), 'port');
    writeFileSync(file, '1\n');
    const hub = await startHub({ target, env: { AGENTHUB_PORT_FILE: file } });
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toBe(`${new URL(hub.url).port}\n`);
    writeFileSync(file, '2\n');
    expect(await hub.stop()).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('2\n');
  });

  test.skipIf(isJailed)('does not start if the file cannot be written', async () => {
    const directory = temporaryDirectory();
    const data = join(directory, 'data');
    mkdirSync(data);
    const missing = join(directory, 'none', 'port');
    await expectRefusal(
      { target, args: [...on(data), '--port-file', missing] },
      directory,
      `cannot write port_file ${missing}: ENOENT`,
    );
    await expectRefusal(
      { target, args: [...on(data), '--port-file', data] },
      directory,
      `cannot write port_file ${data}: it is not a file`,
    );
    const precious = join(directory, 'notes');
    writeFileSync(precious, 'buy milk\n');
    await expectRefusal(
      { target, args: [...on(data), '--port-file', precious] },
      directory,
      `cannot write port_file ${precious}: it has other content than a port`,
    );
  });
});
