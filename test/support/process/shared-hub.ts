// A hub that the tests of a file share, because starting one for each takes longer than the test.
import { afterAll, beforeAll } from 'vitest';
import { type AgentCli, cliFor } from './command-line.ts';
import type { Cleanup } from './failed-tests.ts';
import type { Target } from './hub-process.ts';
import { type HubOfAda, hubOfAda } from './registered-hub.ts';

/** `person` returns a command line of ada with a new home directory; call it in tests only. */
export type SharedHub = { url(): string; person(): AgentCli };

export function sharedHub(target: Target): SharedHub {
  const cleanups: Cleanup[] = [];
  let started: HubOfAda | undefined;
  beforeAll(async () => {
    started = await hubOfAda({ target, atEnd: (cleanup) => cleanups.unshift(cleanup) });
  });
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  const present = (): HubOfAda => {
    if (started === undefined) throw new Error('the shared hub has not started');
    return started;
  };
  return { url: () => present().hub.url, person: () => cliFor(present().hub, target, present()) };
}
