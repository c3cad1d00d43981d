// Node opens its inspector, which can run any code, on SIGUSR1 or through NODE_OPTIONS. The hub disables both.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runToItsEnd, startHub, story } from '../../support/process/running-hub.ts';

story('no inspector', (target) => {
  test('SIGUSR1 opens no inspector, and the hub keeps running', async () => {
    const hub = await startHub({ target });
    const before = listeningPorts(hub.pid);
    for (let time = 0; time < 10; time++) {
      hub.signal('SIGUSR1');
      expect((await fetch(`${hub.url}/health`)).status).toBe(200);
    }
    expect(listeningPorts(hub.pid)).toEqual(before);
    expect(await hub.stop()).toBe(0);
    expect(hub.output()).not.toContain('Debugger');
  });

  test.skipIf(target === 'source')('NODE_OPTIONS opens no inspector either', async () => {
    const { code, stderr } = await runToItsEnd({
      target,
      args: ['version'],
      env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.skipIf(target === 'source')('--inspect is an unknown option', async () => {
    const { code, stderr } = await runToItsEnd({ target, args: ['--inspect=127.0.0.1:0'] });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("unknown option '--inspect=127.0.0.1:0'"),
    });
  });
});

/** The local ports of this process's listening sockets, from /proc. */
function listeningPorts(pid: number): number[] {
  if (process.platform !== 'linux') return [];
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  const rows = ['tcp', 'tcp6']
    .flatMap((family) => readFileSync(`/proc/${pid}/net/${family}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode))
    .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16))
    .sort();
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}
