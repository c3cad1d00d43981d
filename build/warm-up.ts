// Runs a hub in a temporary directory, sends it typical first requests, and returns the code that they compiled, and
// that of a hook.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import type { ScriptName } from '../server/native/compiled.ts';
import { DIST } from './step.ts';

/** The code that V8 compiled of each script, and the Node modules that a hub loaded, as in `process.moduleLoadList`. */
export type Warmth = { code: Readonly<Record<ScriptName, Uint8Array>>; loaded: readonly string[] };

const TIMEOUT_MS = 10_000;

/** `executable` is a hub whose main script is warm-up-main.ts. */
export async function warmUp(executable: string): Promise<Warmth> {
  const data = mkdtempSync(join(DIST, 'warm-up-'));
  const running: ChildProcess[] = [];
  const start = (
    words: readonly string[],
    env = {},
    stderr: 'inherit' | 'ignore' = 'inherit',
  ): ChildProcess & { stdout: Readable } => {
    const [first = '', ...others] = words;
    const child = fork(first, others, {
      execPath: executable,
      execArgv: [],
      env,
      timeout: 60_000,
      serialization: 'advanced',
      stdio: ['pipe', 'pipe', stderr, 'ipc'],
    });
    running.push(child);
    if (child.stdout === null) throw new Error('the program has no standard output');
    return Object.assign(child, { stdout: child.stdout });
  };
  try {
    const hub = start(['serve', '--port', '0', '--data', data]);
    const url = await urlPrintedBy(hub.stdout);
    const unknown = { AGENTHUB_TOKEN: 'ntok_none', HOME: data };
    const hook = start(['hook', 'claude-code', '--alias', 'builder', '--url', url], unknown, 'ignore');
    hook.stdin?.end(JSON.stringify({ session_id: 'none', hook_event_name: 'UserPromptSubmit', prompt: 'none' }));
    await once(hook.stdout, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) }); // it says that the token is unknown
    await firstRequests(url);
    const [hooks, server] = [await compiledBy(hook), await compiledBy(hub)];
    return { code: { hooks: hooks.code, server: server.code }, loaded: server.loaded };
  } finally {
    for (const each of running) each.kill();
    rmSync(data, { recursive: true, force: true });
  }
}

const Message = v.tuple([v.instance(Uint8Array), v.array(v.string())]);

async function compiledBy(program: ChildProcess) {
  program.send('compiled');
  const [message] = await once(program, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const [code, loaded] = v.parse(Message, message);
  return { code, loaded };
}

async function urlPrintedBy(stdout: Readable): Promise<string> {
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
