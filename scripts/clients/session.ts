// A session of a client in a terminal: the timed cases, many times each, and then the proofs.
import { loadavg } from 'node:os';
import { type ClientName, PACKAGES } from './install.ts';
import { BROKEN, cellOf, NOT_FOR_IT, type Outcome, PASSED, type Target, timesOutcome } from './outcome.ts';
import { PROOFS } from './proofs.ts';
import { act, isIdle, type Stage, withStage } from './stage.ts';
import { TIMED_CASES, type TimedCase } from './timed-cases.ts';
import type { Recorded } from './watched-hub.ts';

export type SessionRows = { times: readonly Outcome[]; proofs: readonly Outcome[] };

export const TIMES_TITLES = ['client', ...TIMED_CASES.map(({ title }) => title), "the hub's part of a mention", 'load'];
export const PROOFS_TITLES = ['client', ...PROOFS.map(({ title }) => title)];

/** Of the hub, to respond to a hook with a mention. */
const HUB_TARGET: Target = { p95: 20 };

/** Returns the outcomes of two rows: one for each title. */
export function runSession(
  client: ClientName,
  trials: number,
  onProgress: (line: string) => void,
): Promise<SessionRows> {
  const { title: name } = PACKAGES[client];
  return withStage(client, async (stage) => {
    const shown = async (title: string, running: Promise<Outcome>): Promise<Outcome> => {
      const outcome = await running.catch((error: unknown) =>
        BROKEN(error instanceof Error ? error.message : 'failed'),
      );
      onProgress(`${name}: ${title}: ${cellOf(outcome)}`);
      if (outcome.isBroken) onProgress(stage.terminal.screen());
      return { ...outcome, cell: outcome.cell.split('\n')[0] ?? '' };
    };
    const [times, proofs]: [Outcome[], Outcome[]] = [[PASSED(name)], [PASSED(name)]];
    for (const each of TIMED_CASES) times.push(await shown(each.title, timed(stage, each, trials)));
    times.push(timesOutcome(hubTimes(stage.hub.received), HUB_TARGET), PASSED((loadavg()[0] ?? 0).toFixed(1)));
    for (const { title, run } of PROOFS) proofs.push(await shown(title, run(stage, trials)));
    return { times, proofs };
  });
}

async function timed(stage: Stage, { isFor, target, run }: TimedCase, trials: number): Promise<Outcome> {
  if (!isFor(stage.client)) return NOT_FOR_IT;
  const times: (number | undefined)[] = [];
  for (let trial = 0; trial < trials; trial++) {
    act(stage);
    await isIdle(stage);
    times.push(await run(stage, trial));
  }
  return timesOutcome(times, target);
}

function hubTimes(received: readonly Recorded[]): number[] {
  return received.filter(({ hasMention, path }) => hasMention && path.startsWith('/hooks/')).map(({ ms }) => ms);
}
