// `npm run dev -- …`: runs server/main.ts from source, and restarts it when a file under server/ or console/ changes.
// Rebuilds the console first if it has changed. The hub's state is in its data directory, so a restart loses nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { consoleStep } from '../build/console.ts';
import { bringUpToDate, ROOT } from '../build/step.ts';

const NODE_FLAGS = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];
/** An editor writes a file in several steps, and a checkout writes many files. */
const SETTLE_MS = 100;

let hub: ChildProcess | undefined;
let last = restart();

for (const directory of ['server', 'console']) watch(join(ROOT, directory), { recursive: true }, soon(queueRestart));
process.on('SIGTERM', () => stop().then(() => process.exit()));
// The terminal also sends Ctrl-C to the hub. Forwarding it would be a second signal, which aborts the shutdown.
process.on('SIGINT', () => ended().then(() => process.exit()));

function soon(act: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, SETTLE_MS);
  };
}

function queueRestart(): void {
  last = last.then(restart);
}

async function restart(): Promise<void> {
  // If the console does not build, this reports the error, and the hub keeps the previous pack.
  await bringUpToDate(consoleStep).catch((error: Error) =>
    process.stderr.write(`console: ${error.message.split('\n', 1)}\n`),
  );
  await stop();
  hub = spawn(process.execPath, [...NODE_FLAGS, 'server/main.ts', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
}

async function stop(): Promise<void> {
  hub?.kill('SIGTERM');
  await ended();
}

async function ended(): Promise<void> {
  if (hub && hub.exitCode === null && hub.signalCode === null) await once(hub, 'exit');
}
