// A reverse proxy as an operator runs it: the distribution's program with the configuration of README.md on a free
// port, stopped at the end of the test.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, vi } from 'vitest';
import { freePort } from '../../../scripts/support/free-port.ts';
import { newCertificate } from '../process/certificate.ts';
import { temporaryDirectory } from '../process/running-hub.ts';
import { readmeBlock } from '../readme.ts';

export type Proxy = {
  name: 'nginx' | 'caddy';
  /** The signal that stops it at once, whatever connections are open. */
  end: NodeJS.Signals;
  /** The configuration of README.md, with the hub and the port of this test. */
  lines(hubUrl: string, port: number): string;
  start(directory: string, lines: string): readonly [command: string, ...args: string[]];
};

const SECTION = 'Behind a proxy';
const HUB = 'http://127.0.0.1:4747';

export const NGINX: Proxy = {
  name: 'nginx',
  end: 'SIGTERM', // its workers would outlive it otherwise
  lines: (hubUrl, port) =>
    readmeBlock(SECTION, 'nginx')
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replace(/^ *ssl_.*\n/gm, '')
      .replace(HUB, hubUrl),
  start: (directory, lines) => {
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${directory}/${name};`)
      .join(' ');
    const log = lines.includes('access_log') ? '' : 'access_log off; ';
    const user = process.getuid?.() === 0 ? 'user root; ' : '';
    writeFileSync(
      join(directory, 'nginx.conf'),
      `${user}daemon off; pid ${directory}/pid; error_log stderr;\nevents {}\nhttp { ${log}${places}\n${lines}}\n`,
    );
    return ['nginx', '-p', directory, '-c', join(directory, 'nginx.conf')];
  },
};

/** Whether nginx accepts the configuration, for a test certificate and a free port. */
export async function checkNginx(lines: string): Promise<{ status: number | null; stderr: string }> {
  const directory = temporaryDirectory();
  const [cert, key] = newCertificate(directory, 'hub.example.org');
  const placed = lines
    .replace('listen 443 ssl;', `listen 127.0.0.1:${await freePort()} ssl;`)
    .replace(/\/etc\/ssl\/\S+\.pem/, cert)
    .replace(/\/etc\/ssl\/\S+\.key/, key);
  const [command, ...args] = NGINX.start(directory, placed);
  return spawnSync(command, ['-t', ...args], { env: { PATH }, encoding: 'utf8' });
}

export const CADDY: Proxy = {
  name: 'caddy',
  end: 'SIGKILL',
  lines: (hubUrl, port) =>
    readmeBlock(SECTION, 'caddy')
      .replace('hub.example.org {', `http://:${port} {`)
      .replace(new URL(HUB).host, new URL(hubUrl).host),
  start: (directory, lines) => {
    writeFileSync(join(directory, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${lines}`);
    return ['caddy', 'run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile'];
  },
};

/** Where distributions install programs for root. */
const PATH = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;

/** Runs the tests where the proxy is installed, and skips them elsewhere. */
export function behind(proxy: Proxy, tests: () => void): void {
  const isThere = spawnSync(proxy.name, ['-h'], { env: { PATH } }).error === undefined;
  if (!isThere)
    process.stderr.write(
      `\n!!! behind ${proxy.name}: SKIPPED, ${proxy.name} is not installed (apt-get install ${proxy.name})\n`,
    );
  describe.skipIf(!isThere)(`behind ${proxy.name}`, tests);
}

type AtEnd = (cleanup: () => Promise<void>) => void;

/** Returns the proxy's address. `change` can modify the configuration. */
export async function startProxy(
  proxy: Proxy,
  hubUrl: string,
  atEnd: AtEnd,
  change = (lines: string): string => lines,
): Promise<string> {
  const directory = temporaryDirectory(atEnd);
  const port = await freePort();
  const [command, ...args] = proxy.start(directory, change(proxy.lines(hubUrl, port)));
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH, HOME: directory } });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (output += chunk));
  const ended = once(child, 'exit');
  atEnd(async () => {
    child.kill(proxy.end);
    await ended;
  });
  await vi.waitFor(async () => {
    if (!(await isListening(port))) throw new Error(`${proxy.name} does not listen on ${port}; it printed: ${output}`);
  }, 10_000);
  return `http://127.0.0.1:${port}`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
