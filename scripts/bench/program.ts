// A measured server: a separate process that prints its address in a line of JSON with a `url`.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as v from 'valibot';

export type Command = { file: string; args: string[] };

export type Program = Disposable & {
  url: string;
  port: number;
  pid: number;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
};

/** A server of `rivals/`, which stores nothing. */
export function rival(file: string, ...args: string[]): Command {
  return { file: process.execPath, args: [join(import.meta.dirname, 'rivals', file), ...args] };
}

const FirstLine = v.object({ url: v.string() });

type Child = ChildProcessByStdio<null, Readable, null>;

export async function launch({ file, args }: Command): Promise<Program> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await Promise.race([urlPrintedBy(child), failure(child)]);
  const kill = (): Promise<void> => (child.kill('SIGKILL'), ended);
  return { url, port: Number(new URL(url).port), pid: child.pid ?? 0, kill, [Symbol.dispose]: () => void kill() };
}

async function urlPrintedBy(child: Child): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  // The remaining lines are read and discarded.
  const line = await new Promise<string>((resolve) => lines.once('line', resolve));
  return v.parse(FirstLine, JSON.parse(line)).url;
}

function failure(child: Child): Promise<never> {
  return new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${child.spawnfile} exited with ${code} before it listened`)));
  });
}
