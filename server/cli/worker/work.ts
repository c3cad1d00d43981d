// work: runs a worker. Prepares its settings, and maps signals to a graceful or an immediate stop.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SECOND_MS } from '../../domain/time/time.ts';
import { agentAccess } from '../client/access/access.ts';
import { connectionOf } from '../client/access/agent-tokens.ts';
import type { HubOptions } from '../client/access/hub-options.ts';
import { hubClient } from '../client/hub-client.ts';
import { CommandError, EXIT, wrongUsage } from '../exit-codes.ts';
import { runWorker } from './worker.ts';

export type WorkOptions = HubOptions & {
  alias: string;
  once?: true;
  grace: number;
  reportEvery: number;
  takeOver?: true;
  passToken?: true;
};

export async function work(command: readonly string[], options: WorkOptions): Promise<void> {
  assertRunnable(command[0] ?? '');
  const { url, token } = await connectedAs(options);
  const succeeded = await runWorker(hubClient(url, token), {
    alias: options.alias,
    command,
    isOnce: options.once === true,
    mayTakeOver: options.takeOver === true,
    passesToken: options.passToken === true,
    token,
    graceMs: options.grace * SECOND_MS,
    reportMs: options.reportEvery * SECOND_MS,
    ...endings(),
  });
  if (options.once && !succeeded) throw new CommandError('the task did not succeed', EXIT.unsuccessful);
}

/** With the token that `connect --hooks` has stored for the agent, or that of the person. */
async function connectedAs(options: WorkOptions): Promise<{ url: string; token: string }> {
  const { url, token } = await connectionOf(options);
  return token === undefined ? agentAccess(options) : { url, token };
}

/** The first signal requests a graceful stop, the second aborts the running task. */
function endings(): { finishing: AbortSignal; givingUp: AbortSignal } {
  const finish = new AbortController();
  const giveUp = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => (finish.signal.aborted ? giveUp : finish).abort());
  }
  return { finishing: finish.signal, givingUp: giveUp.signal };
}

// A missing command would fail every pending task, one after the other.
function assertRunnable(name: string): void {
  const places = name.includes('/')
    ? [name]
    : (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  if (!places.some(isExecutable))
    throw wrongUsage(`command not found: ${name}; use its full path, or run it in a shell: -- sh -c '…'`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
