// Stories: sequences of actions with time passing and hub restarts in between, and a full comparison at the end.
import fc from 'fast-check';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import { getStats } from '../../../server/operations/records/get-stats.ts';
import { getAllStatus } from '../../../server/operations/sessions/get-all-status.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { ALIASES, READS, renamed, type StoryStep, WRITES } from './actions.ts';
import * as reads from './reads.ts';
import type { Expected } from './rules.ts';
import { DAY, MINUTE, type ModelState, type Net } from './state.ts';

// At and around the times when items expire.
const STEPS = [
  1,
  999,
  14_999,
  15_000,
  61_000,
  3 * MINUTE - 1,
  3 * MINUTE,
  299_999,
  10 * MINUTE - 1,
  10 * MINUTE,
  10 * MINUTE + 1,
  31 * MINUTE,
  61 * MINUTE,
  DAY,
] as const;
const advance: fc.Arbitrary<StoryStep> = fc.constantFrom(...STEPS).map(passing);

function passing(ms: number): StoryStep {
  return { title: `${ms} ms pass`, advance: ms };
}

const restart: fc.Arbitrary<StoryStep> = fc
  .constantFrom(0, 1, MINUTE, 11 * MINUTE, DAY)
  .map((ms) => ({ title: `the hub restarts after ${ms} ms`, restart: ms }));

const WEIGHTS = {
  report: 10,
  complete: 4,
  ack: 2,
  ackOwn: 6,
  sendTask: 14,
  sendMessage: 4,
  repeatMessage: 1,
  reply: 9,
  start: 5,
  retry: 5,
  cancel: 3,
  reassign: 5,
  broadcast: 2,
  inbox: 14,
  task: 5,
  wait: 2,
  tasks: 3,
  stats: 2,
  agents: 3,
  agent: 3,
} as const;

const one: fc.Arbitrary<StoryStep[]> = fc
  .oneof(
    ...Object.entries({ ...WRITES, ...READS }).map(([name, arbitrary]) => ({ arbitrary, weight: weightOf(name) })),
    { arbitrary: advance, weight: 10 },
    { arbitrary: restart, weight: 1 },
  )
  .map((step) => [step]);

// Two polls so close that the second is not written at once, and a silence slightly too short or too long.
const pollsAndSilence: fc.Arbitrary<StoryStep[]> = fc
  .tuple(
    WRITES.report,
    READS.inbox,
    fc.constantFrom(1, 999, 14_999),
    READS.inbox,
    fc.constantFrom(-1, 0, 1, 999, 14_999),
    READS.agents,
  )
  .map(([report, poll, between, again, more, look]) => [
    report,
    poll,
    passing(between),
    again,
    passing(10 * MINUTE + more),
    look,
  ]);

/** This many actions in a row, or a few that belong together. */
export const story = (length: number): fc.Arbitrary<StoryStep[]> =>
  fc
    .array(fc.oneof({ arbitrary: one, weight: 60 }, { arbitrary: pollsAndSilence, weight: 1 }), {
      minLength: length,
      maxLength: length,
      size: 'max',
    })
    .map((steps) => steps.flat());

function weightOf(name: string): number {
  return Object.entries(WEIGHTS).find(([known]) => known === name)?.[1] ?? 1;
}

/** Reads everything as a viewer, who changes nothing. */
export function finalReads(network: number): StoryStep[] {
  const look = (
    operation: AnyOperation,
    input: object,
    expected: (state: ModelState, net: Net) => Expected,
  ): StoryStep => ({
    title: `at the end, network ${network}: ${operation.name} ${JSON.stringify(input)}`,
    act: {
      operation,
      writes: false,
      network,
      role: 'viewer',
      times: 1,
      at: (state, net) => ({ input, rule: () => expected(state, net) }),
    },
  });
  return [
    look(listTasks, { limit: 100 }, (state, net) => reads.listTasks(state, net, { limit: 100 })),
    look(getStats, {}, reads.getStats),
    look(getAllStatus, {}, (state, net) => reads.getAllStatus(state, net, {})),
    ...[...ALIASES, ...ALIASES.map(renamed), 'hub', 'run-1'].map((name) => {
      const input = { alias: name, limit: 100 };
      return look(getInbox, input, (state, net) => reads.getInbox(state, net, input, true));
    }),
  ];
}
