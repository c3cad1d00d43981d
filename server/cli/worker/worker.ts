// A worker: takes the tasks of its alias one by one, most urgent first, until it is asked to finish.
import type { HubClient } from '../client/hub-client.ts';
import { note } from '../output.ts';
import type { CommandLine } from './command-run.ts';
import { type Assignment, type Mail, openMail } from './mail.ts';
import { AliasTaken, openSession, type WorkerSession } from './session.ts';
import { carryOut } from './task.ts';

export type WorkerSettings = CommandLine & {
  alias: string;
  /** Ends after one task. */
  isOnce: boolean;
  mayTakeOver: boolean;
  /** Between two reports of what a running command prints. */
  reportMs: number;
  /** Aborted: the running task is finished, and no other taken. */
  finishing: AbortSignal;
  /** Aborted: the running task is given back. */
  givingUp: AbortSignal;
};

export type Worker = { hub: HubClient; settings: WorkerSettings; session: WorkerSession; mail: Mail };

/** Answers whether the last task succeeded. */
export async function runWorker(hub: HubClient, settings: WorkerSettings): Promise<boolean> {
  const session = await openSession(hub, settings.alias, settings.mayTakeOver);
  const mail = openMail(hub, settings.alias);
  note(`${settings.alias} waits for tasks on ${hub.url}`);
  try {
    const succeeded = await workOff({ hub, settings, session, mail });
    await session.report('offline', { task: '' });
    return succeeded;
  } catch (error) {
    if (!(error instanceof AliasTaken)) await session.report('offline', { task: '' }).catch(() => {});
    throw error;
  } finally {
    mail.close();
  }
}

async function workOff(worker: Worker): Promise<boolean> {
  for (;;) {
    const assignment = await nextTask(worker);
    if (assignment === undefined) return true;
    const outcome = await carryOut(worker, assignment);
    if (outcome === 'given back') return false;
    if (worker.settings.isOnce && outcome !== 'gone') return outcome === 'replied';
  }
}

/** Undefined when the worker is asked to finish. */
async function nextTask({ settings: { finishing }, session, mail }: Worker): Promise<Assignment | undefined> {
  while (!finishing.aborted) {
    const [first] = await mail.look(finishing).catch(unlessAborted(finishing));
    if (first !== undefined) return finishing.aborted ? undefined : first;
    await mail.change(finishing);
    // Also tells whether the alias is still ours, before a task is taken.
    await session.report('idle', { task: '' });
  }
  return undefined;
}

// A look that the end of the worker broke off found nothing.
function unlessAborted(signal: AbortSignal): (error: unknown) => [] {
  return (error) => {
    if (signal.aborted) return [];
    throw error;
  };
}
