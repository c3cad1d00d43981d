// systemd starts a hub as a service that notifies: it learns when the hub is ready, that it runs, and that it stops.
// The test receives the messages in place of systemd; systemd-notify sends them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ANY_TARGET, launch } from '../../support/process/hub-process.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

/** Node has no datagram sockets in the file system. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(receiver.recv(4096).decode(), flush=True)
`;

const canRun = ['systemd-notify', 'python3'].every((program) => spawnSync(program, ['--version']).status === 0);

describe.skipIf(!canRun)('a hub that systemd has started', () => {
  test('says when it is ready, that it runs, and that it stops', async () => {
    const directory = temporaryDirectory();
    const socket = join(directory, 'notify');
    const receiver = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void receiver.kill());
    let received = '';
    receiver.stdout.on('data', (chunk) => (received += chunk));
    await once(receiver.stdout, 'data');

    const hub = launch({
      target: ANY_TARGET,
      args: ['serve', '--port', '0', '--data', join(directory, 'data'), '--drain-seconds', '1'],
      env: { PATH: process.env.PATH ?? '', NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000' },
    });
    onTestFinished(() => void hub.child.kill('SIGKILL'));
    const count = (state: string): number => received.split('\n').filter((line) => line === state).length;
    await expect.poll(() => count('READY=1')).toBe(1);
    expect(hub.output()).toContain('"url"');
    await expect.poll(() => count('WATCHDOG=1')).toBeGreaterThanOrEqual(3);
    expect(count('STOPPING=1')).toBe(0);

    hub.child.kill('SIGTERM');
    await hub.ended;
    await expect.poll(() => count('STOPPING=1')).toBe(1);
    expect(count('READY=1')).toBe(1);
    // 15 seconds, and those of `drain_seconds`.
    expect(count('EXTEND_TIMEOUT_USEC=16000000')).toBe(1);
  });

  test('logs once that systemd does not receive its messages', async () => {
    const directory = temporaryDirectory();
    const hub = launch({
      target: ANY_TARGET,
      args: ['serve', '--port', '0', '--data', join(directory, 'data')],
      env: { PATH: process.env.PATH ?? '', NOTIFY_SOCKET: join(directory, 'nobody'), WATCHDOG_USEC: '200000' },
    });
    onTestFinished(() => void hub.child.kill('SIGKILL'));
    await expect.poll(() => hub.output()).toContain('systemd-notify failed');
    hub.child.kill('SIGTERM');
    await hub.ended;
    expect(hub.output().match(/systemd-notify failed/g)).toHaveLength(1);
  });
});
