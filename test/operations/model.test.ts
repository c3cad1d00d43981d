// Runs random stories of agents, tasks and time against the hub and a model of SPECIFICATION.md §3 to §5, which must
// always agree: in statuses, inboxes and their order, errors, counts and warnings. MODEL_RUNS=20 runs 20 times as many.
// A failure prints its seed for MODEL_SEED, and the shortest story that differs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoryStep } from '../support/model/actions.ts';
import { runStory } from '../support/model/run-story.ts';
import { shortest } from '../support/model/shrink.ts';
import { story } from '../support/model/stories.ts';

const TIMES = Number(process.env.MODEL_RUNS ?? 1);
const SEED = process.env.MODEL_SEED;
const STORIES = 80 * TIMES;
const MOVES = 300;
const LEAST_OPERATIONS = 20_000 * TIMES;

test('the hub behaves like the model', { timeout: 600_000 * TIMES }, async () => {
  let operations = 0;
  const seen = new Set<string>();
  const property = fc.asyncProperty(story(MOVES), async (moves) => {
    const difference = await differenceIn(moves, seen);
    operations += moves.length;
    if (difference !== undefined) throw new Error(await shortened(moves, difference));
  });
  // Stories are shortened here, because fast-check would simplify every action before it removes one.
  const result = await fc.check(property, {
    numRuns: STORIES,
    endOnFailure: true,
    ...(SEED !== undefined && { seed: Number(SEED) }),
  });
  if (result.failed) throw new Error(`MODEL_SEED=${result.seed} repeats it\n${String(result.errorInstance)}`);
  expect(operations).toBeGreaterThanOrEqual(LEAST_OPERATIONS);
  expect(
    EVERYTHING.filter((outcome) => !seen.has(outcome)),
    'what no story covered',
  ).toEqual([]);
});

/** Stories without any of these would prove too little. */
const EVERYTHING = [
  'report_status',
  'report_status with a warning',
  'report_completion',
  'get_inbox',
  'ack_inbox',
  'send_task',
  'send_task with a warning',
  'send_message',
  'send_message with a warning',
  'send_reply',
  'send_reply with a warning',
  'send_ack',
  'retry_task',
  'cancel_task',
  'reassign_task',
  'wait_task',
  'get_task',
  'list_tasks',
  'get_all_status',
  'get_session_status',
  'broadcast',
  'get_stats',
  'permission_denied',
  'task not found',
  'task is terminal',
  'message not found or not yours',
  'session not found',
  'duplicate_send',
  'idempotency_conflict',
  'task status is delivered, not retryable',
  'task status is running, not retryable',
  'task status is replied, not retryable',
];

/** Undefined when hub and model agree. */
async function differenceIn(moves: readonly StoryStep[], seen?: Set<string>): Promise<string | undefined> {
  try {
    await runStory(moves, seen);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function shortened(moves: readonly StoryStep[], difference: string): Promise<string> {
  let latest = difference;
  const found = await shortest(moves, async (shorter) => {
    const stillThere = await differenceIn(shorter);
    latest = stillThere ?? latest;
    return stillThere !== undefined;
  });
  return `the shortest story that differs:\n  ${found.map(({ title }) => title).join('\n  ')}\n${latest}`;
}
