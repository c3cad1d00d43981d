// A temporary home directory for one client, and a shell in it. The client can reach neither the user's files nor any
// other host.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DIST } from '../../build/step.ts';
import { type ClientName, PACKAGES, programOf } from './install.ts';
import { serve } from './loopback.ts';
import { openTerminal, type Terminal } from './terminal.ts';

export type Sandbox = Disposable & {
  home: string;
  /** The hosts that the client tried to reach. */
  tried: string[];
  write(files: Readonly<Record<string, string>>): void;
  /** Starts the line in a terminal. */
  open(line: string, env: Readonly<Record<string, string>>): Terminal;
  run(line: string, env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }>;
};

const TIMEOUT_MS = 120_000;

export async function openSandbox(client: ClientName): Promise<Sandbox> {
  const home = mkdtempSync(join(DIST, 'clients', `home-${client}-`)); // Codex refuses a home directory under /tmp
  const tried: string[] = [];
  const denyAll = await serve(
    (_, response) => void response.writeHead(403).end(),
    (host) => void tried.push(host),
  );
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, 'work'));
  const command = join(home, 'bin', PACKAGES[client].command);
  const words = programOf(PACKAGES[client], nodeFor(client));
  writeFileSync(command, `#!/bin/sh\nexec ${words.map((word) => `"${word}"`).join(' ')} "$@"\n`);
  chmodSync(command, 0o755);
  symlinkSync(join(DIST, 'agenthub'), join(home, 'bin', 'agenthub'));
  const base = {
    PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...behind(denyAll.url),
  };
  return {
    home,
    tried,
    write: (files) => Object.entries(files).forEach(([name, content]) => writeUnder(home, name, content)),
    open: (line, env) => openTerminal(line, join(home, 'work'), { ...base, ...env }),
    run: (line, env) => run(line, join(home, 'work'), { ...base, ...env }),
    [Symbol.dispose]: () => {
      denyAll[Symbol.dispose]();
      endProcessesOf(home);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Ends what a client leaves running, such as the server that `codex queue` starts: its command names the home
 * directory.
 */
function endProcessesOf(home: string): void {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  for (const line of stdout.split('\n').filter((each) => each.includes(home))) {
    try {
      process.kill(Number.parseInt(line, 10), 'SIGKILL');
    } catch {} // it has just ended
  }
}

/** A proxy for all hosts except loopback that refuses every connection. */
function behind(denyAll: string): Record<string, string> {
  const inner = '127.0.0.1,localhost';
  return {
    HTTPS_PROXY: denyAll,
    HTTP_PROXY: denyAll,
    https_proxy: denyAll,
    http_proxy: denyAll,
    NO_PROXY: inner,
    no_proxy: inner,
  };
}

/**
 * Gemini CLI 0.61.0 does not see response headers on Node 26, and therefore no MCP server. It runs on the Node outside
 * this repository.
 */
function nodeFor(client: ClientName): string {
  if (client !== 'gemini') return process.execPath;
  const places = (process.env.PATH ?? '').split(delimiter).filter((access) => !access.includes('node_modules'));
  return places.map((access) => join(access, 'node')).find((file) => existsSync(file)) ?? process.execPath;
}

function writeUnder(home: string, name: string, content: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), content);
}

async function run(
  line: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const child = spawn('sh', ['-c', line], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: `$ ${line}\n${out}${err}` };
}
