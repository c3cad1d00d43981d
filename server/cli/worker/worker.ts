// The main loop of a worker: runs the tasks of its alias one at a time, most urgent first, until it is asked to stop.
import type { HubClient } from '../client/hub-client.ts';
import { note } from '../output.ts';
import type { CommandLine } from './command-run.ts';
import { type Assignment, type Mail, openMail } from './mail.ts';
import { AliasTaken, openSession, type WorkerSession } from './session.ts';
import { runTask } from './task.ts';

export type WorkerSettings = CommandLine & {
  alias: string;
  /** Exit after one task. */
  isOnce: boolean;
  mayTakeOver: boolean;
  /** The interval between output reports while a command runs. */
  reportMs: number;
  /** When aborted, the worker finishes the running task and takes no other. */
  finishing: AbortSignal;
  /** When aborted, the worker stops the running task and returns it to the inbox. */
  givingUp: AbortSignal;
};

export type Worker = { hub: HubClient; settings: WorkerSettings; session: WorkerSession; mail: Mail };

/** Returns whether the last task succeeded. */
export async function runWorker(hub: HubClient, settings: WorkerSettings): Promise<boolean> {
  const session = await openSession(hub, settings.alias, settings.mayTakeOver);
  const mail = openMail(hub, settings.alias);
  note(`${settings.alias} is waiting for tasks on ${hub.url}`);
  try {
    const succeeded = await runTasks({ hub, settings, session, mail });
    await session.report('offline', { task: '' });
    return succeeded;
  } catch (error) {
    if (!(error instanceof AliasTaken)) await session.report('offline', { task: '' }).catch(() => {});
    throw error;
  } finally {
    mail.close();
  }
}

async function runTasks(worker: Worker): Promise<boolean> {
  for (;;) {
    const assignment = await nextTask(worker);
    if (assignment === undefined) return true;
    const outcome = await runTask(worker, assignment);
    if (outcome === 'given back') return false;
    if (worker.settings.isOnce && outcome !== 'gone') return outcome === 'replied';
  }
}

/** Returns undefined when the worker is asked to stop. */
async function nextTask({ settings: { finishing }, session, mail }: Worker): Promise<Assignment | undefined> {
  while (!finishing.aborted) {
    const [first] = await mail.look(finishing).catch(unlessAborted(finishing));
    if (first !== undefined) return finishing.aborted ? undefined : first;
    await mail.change(finishing);
    // The report also verifies that this worker still holds the alias, before it takes a task.
    await session.report('idle', { task: '' });
  }
  return undefined;
}

// An inbox check that was aborted by the stop of the worker counts as empty.
function unlessAborted(signal: AbortSignal): (error: unknown) => [] {
  return (error) => {
    if (signal.aborted) return [];
    throw error;
  };
}
