// A turn that the person interrupts with Esc while the model thinks. Not every client reports that. Mail that comes
// later must wake the session all the same, or reach it with the next prompt if the client waits for one.
import { setTimeout as sleep } from 'node:timers/promises';
import { containing } from './model.ts';
import { BROKEN, NOT_FOR_IT, type Outcome, PASSED } from './outcome.ts';
import { SETUPS } from './setups.ts';
import { act, isIdle, LOST_MS, prompt, type Stage, sendTask, wordsOf } from './stage.ts';

/** The hub takes a turn without events for interrupted after two minutes; a waiter asks every 30 seconds. */
const WOKEN_MS = 160_000;
const SETTLE_MS = 1_000;

export async function wokenAfterEsc(stage: Stage): Promise<Outcome> {
  const { client, hub, model, terminal } = stage;
  if (SETUPS[client].session.wokenBy === undefined) return NOT_FOR_IT;
  const [start, words] = [wordsOf('long job', 0), wordsOf('call back', 0)];
  const interrupted = Promise.withResolvers<void>();
  act(stage);
  await isIdle(stage);
  act(stage, async () => {
    await interrupted.promise;
    return { say: 'done' };
  });
  await prompt(stage, start);
  await terminal.press(...(SETUPS[client].session.interrupt ?? ['Escape']));
  await sleep(SETTLE_MS);
  act(stage);
  interrupted.resolve();
  await sleep(SETTLE_MS);
  const sent = performance.now();
  await sendTask(hub, words);
  const request = await model.reached(containing(words), WOKEN_MS);
  if (request !== undefined) return PASSED(`after ${Math.round((request.at - sent) / 1_000)} s`);
  await prompt(stage, wordsOf('go on', 0));
  const isRead = (await model.reached(containing(words), LOST_MS)) !== undefined;
  return isRead ? PASSED('at the next prompt') : BROKEN('not woken');
}
