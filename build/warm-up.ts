// Runs a hub in a scratch directory, sends it the first requests that a hub gets, and returns the code that V8 compiled for them.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DIST } from './step.ts';

/** `executable` is a hub whose main script is warm-up-main.ts. */
export async function warmUp(executable: string): Promise<Buffer> {
  const data = mkdtempSync(join(DIST, 'warm-up-'));
  const hub = fork('serve', ['--port', '0', '--data', data], {
    execPath: executable, execArgv: [], env: {}, serialization: 'advanced', stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    await firstRequests(await urlSaidBy(hub));
    hub.send('compiled');
    const [code] = await once(hub, 'message', { signal: AbortSignal.timeout(10_000) });
    if (!(code instanceof Uint8Array)) throw new Error('the hub sent no code');
    return Buffer.from(code);
  } finally {
    hub.kill();
    rmSync(data, { recursive: true, force: true });
  }
}

async function urlSaidBy({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the hub has no standard output');
  for await (const line of createInterface(stdout)) {
    const { url }: { url?: string } = JSON.parse(line);
    if (url !== undefined) return url;
  }
  throw new Error('the hub ended before it listened');
}

async function firstRequests(url: string): Promise<void> {
  for (const path of ['/health', '/health/live', '/']) await fetched(`${url}${path}`);
  await fetched(`${url}/mcp`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json', Authorization: 'Bearer none' } });
}

async function fetched(url: string, request?: RequestInit): Promise<void> {
  await (await fetch(url, request)).arrayBuffer();
}
