// What a session must do besides being fast: the table of proofs. Each runs once in the session of a client.
import { costOfTask } from './cost-of-task.ts';
import { wokenAfterEsc } from './interrupted-turn.ts';
import { noMailIsLost } from './lost-mail.ts';
import { containing } from './model.ts';
import { BROKEN, type Outcome, PASSED } from './outcome.ts';
import { act, isIdle, isQuiet, prompt, type Stage } from './stage.ts';
import { twoSessions } from './two-sessions.ts';

export type Proof = { title: string; run: (stage: Stage, trials: number) => Promise<Outcome> };

/** In this order: the token does not work any more after the last one. */
export const PROOFS: readonly Proof[] = [
  { title: 'model calls while idle', run: callsWhileIdle },
  { title: 'a short task: calls, tokens', run: costOfTask },
  { title: 'mail lost under SIGKILL', run: noMailIsLost },
  { title: 'woken after Esc', run: wokenAfterEsc },
  { title: 'two sessions', run: twoSessions },
  { title: 'told that the token was revoked', run: revocation },
];

const IDLE_MS = 10_000;
const SETTLE_MS = 2_000;

async function callsWhileIdle(stage: Stage): Promise<Outcome> {
  act(stage);
  await isIdle(stage);
  await isQuiet(stage.model, SETTLE_MS);
  const before = stage.model.requests.length;
  const wasQuiet =
    (await stage.model.reached((request) => stage.model.requests.indexOf(request) >= before, IDLE_MS)) === undefined;
  return wasQuiet ? PASSED(`0 in ${IDLE_MS / 1_000} s`) : BROKEN(`${stage.model.requests.length - before}`);
}

const REFUSAL = 'the token is unknown, revoked or expired';
const SHOWN_MS = 5_000;

/** Whether the person or the model reads, with the next prompt, that the token does not work. */
async function revocation(stage: Stage): Promise<Outcome> {
  act(stage);
  await isIdle(stage);
  await stage.hub.revoke();
  await prompt(stage, 'go on');
  const told = await stage.model.reached(containing(REFUSAL), SHOWN_MS);
  const isShown = stage.terminal.screen().replace(/\s+/g, ' ').includes(REFUSAL);
  const readers = [...(isShown ? ['person'] : []), ...(told === undefined ? [] : ['model'])];
  return readers.length > 0 ? PASSED(readers.join(', ')) : BROKEN('nobody');
}
