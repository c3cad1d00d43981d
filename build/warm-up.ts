// Runs a hub in a temporary directory, sends it typical first requests, and returns the code that they compiled.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import { DIST } from './step.ts';

/** The code that V8 compiled, and the loaded Node modules, as in `process.moduleLoadList`. */
export type Warmth = { code: Uint8Array; loaded: readonly string[] };

const TIMEOUT_MS = 10_000;

/** `executable` is a hub whose main script is warm-up-main.ts. */
export async function warmUp(executable: string): Promise<Warmth> {
  const data = mkdtempSync(join(DIST, 'warm-up-'));
  const hub = fork('serve', ['--port', '0', '--data', data], {
    execPath: executable,
    execArgv: [],
    env: {},
    timeout: 60_000,
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    await firstRequests(await urlPrintedBy(hub));
    hub.send('compiled');
    const [message] = await once(hub, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const [code, loaded] = v.parse(Message, message);
    return { code, loaded };
  } finally {
    hub.kill();
    rmSync(data, { recursive: true, force: true });
  }
}

const Message = v.tuple([v.instance(Uint8Array), v.array(v.string())]);

async function urlPrintedBy({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the hub has no standard output');
  for await (const line of createInterface(stdout)) {
    const { url }: { url?: string } = JSON.parse(line);
    if (url !== undefined) return url;
  }
  throw new Error('the hub exited before it listened');
}

async function firstRequests(url: string): Promise<void> {
  for (const path of ['/health', '/health/live', '/']) await fetched(`${url}${path}`);
  await fetched(`${url}/mcp`, {
    method: 'POST',
    body: '{}',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer none' },
  });
}

async function fetched(url: string, request?: RequestInit): Promise<void> {
  await (await fetch(url, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) })).arrayBuffer();
}
