// Mail that comes while the model works, at the end of a turn, while nobody does anything, and after a SIGKILL of the
// hub. Measures how long it takes until the model reads the mail.
import type { ClientName } from './install.ts';
import { containing } from './model.ts';
import type { Target } from './outcome.ts';
import { SETUPS } from './setups.ts';
import { act, LOST_MS, NOBODY, prompt, type Stage, sendTask, wordsOf } from './stage.ts';

/** Runs one trial and returns its milliseconds; undefined if the mail did not arrive. */
type Trial = (stage: Stage, trial: number) => Promise<number | undefined>;

export type TimedCase = { title: string; isFor: (client: ClientName) => boolean; target?: Target; run: Trial };

export const TIMED_CASES: readonly TimedCase[] = [
  { title: 'after a tool call', isFor: () => true, run: afterTool },
  { title: 'end of turn', isFor: () => true, target: { p95: 300 }, run: atEndOfTurn },
  {
    title: 'idle',
    isFor: (client) => SETUPS[client].session.wokenBy !== undefined,
    target: { p50: 500, p95: 2_000 },
    run: whileIdle,
  },
  { title: 'hub killed during a wait', isFor: () => true, run: throughRestart },
];

async function afterTool(stage: Stage, trial: number): Promise<number | undefined> {
  const [start, words] = [wordsOf('tool', trial), wordsOf('water plant', trial)];
  let sent = 0;
  act(stage, async ({ content }) => {
    if (sent > 0 || !content.includes(start)) return { say: 'done' };
    sent = performance.now();
    await sendTask(stage.hub, words);
    return { tool: 'get_inbox', args: { alias: NOBODY } };
  });
  await prompt(stage, start);
  return since(sent, await stage.model.reached(containing(words), LOST_MS));
}

async function atEndOfTurn(stage: Stage, trial: number): Promise<number | undefined> {
  const [start, words] = [wordsOf('turn', trial), wordsOf('feed cat', trial)];
  let ended = 0;
  act(stage, async ({ content }) => {
    if (ended > 0 || !content.includes(start)) return { say: 'done' };
    await sendTask(stage.hub, words);
    ended = performance.now();
    return { say: 'done' };
  });
  await prompt(stage, start);
  const request = await stage.model.reached(containing(words), LOST_MS);
  return since(ended, request);
}

async function whileIdle(stage: Stage, trial: number): Promise<number | undefined> {
  const words = wordsOf('lock door', trial);
  act(stage);
  const sent = performance.now();
  await sendTask(stage.hub, words);
  return since(sent, await stage.model.reached(containing(words), LOST_MS));
}

/**
 * The client repeats a call that fails. Measured from the send after the restart. The alias has no other mail, and the
 * hooks of the session say nothing of it.
 */
async function throughRestart(stage: Stage, trial: number): Promise<number | undefined> {
  const [start, words] = [wordsOf('wait', trial), wordsOf('close window', trial)];
  const alias = `waiting-${trial}`;
  const call = { tool: 'get_inbox', args: { alias, wait_seconds: 60 } };
  act(stage, ({ content }) => (content.includes(start) && !content.includes(words) ? call : { say: 'done' }));
  await prompt(stage, start);
  await stage.hub.isWaiting();
  await stage.hub.restart();
  const sent = performance.now();
  await sendTask(stage.hub, words, alias);
  return since(sent, await stage.model.reached(containing(words), LOST_MS));
}

function since(start: number, request: { at: number } | undefined): number | undefined {
  return request === undefined ? undefined : request.at - start;
}
