// The hub under test.
import { readdirSync } from 'node:fs';
import { type Command, type Process, printed, startProcess } from '../support/process.ts';

export type Hub = Process & { url: string; port: number; data: string };

const START_MS = 20_000;

export function serveArguments(data: string, more: readonly string[] = []): string[] {
  return ['serve', '--port', '0', '--data', data, ...more];
}

export function run({ file, args }: Command, more: readonly string[] = []): Process {
  return startProcess({ file, args: [...args, ...more] });
}

/** Resolves once the hub prints its address. */
export async function startHub(command: Command, data: string, args: readonly string[] = []): Promise<Hub> {
  const started = run(command, serveArguments(data, args));
  const url = await addressOf(started).catch(async (error: Error) => {
    await started.kill('SIGKILL');
    throw new Error(`the hub did not start: ${error.message}`);
  });
  return { ...started, url, port: Number(new URL(url).port), data };
}

/** Undefined when it exited, or printed no address in time. */
export function listeningAt(started: Process): Promise<string | undefined> {
  return addressOf(started).catch(() => undefined);
}

function addressOf(started: Process): Promise<string> {
  return printed(started, /"url":"([^"]+)","mcp":/, START_MS);
}

/** Resolves when the condition holds. Checks again every few milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, timeoutMs: number, stepMs = 20): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`condition not met within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

/** The open files of a process show its connections whose clients see nothing of them. Linux only. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
