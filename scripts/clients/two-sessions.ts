// Two sessions of a client under one alias: both are told about a task, and the second one to acknowledge it is warned.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action, ModelRequest, Turn } from './model.ts';
import { BROKEN, type Outcome, PASSED } from './outcome.ts';
import { ALIAS, SETUPS } from './setups.ts';
import { act, isIdle, LOST_MS, prompt, type Stage, sendTask } from './stage.ts';

const [FIRST, SECOND] = ['I am the first.', 'I am the second.'];
const TASK = 'sweep the floor';
const WARNING = 'acknowledged before';

export async function twoSessions(stage: Stage): Promise<Outcome> {
  act(stage, acknowledging);
  await prompt(stage, FIRST);
  await isIdle(stage);
  const answers = await answersOfBoth(stage);
  await prompt(stage, 'I am alone.');
  const told = answers.filter((answer) => answer !== undefined);
  if (told.length < 2) return BROKEN(`${told.length} of 2 told`);
  const warned = told.filter((answer) => answer.includes(WARNING)).length;
  return warned === 1 ? PASSED('both told, one warned') : BROKEN(`both told, ${warned} warned`);
}

/** What ack_inbox returned to each of the two; undefined to one that was not told. */
async function answersOfBoth(stage: Stage): Promise<(string | undefined)[]> {
  const { client, hub, model } = stage;
  using other = await stage.openAnother(SECOND);
  await isIdle(stage, 2);
  await sendTask(hub, TASK);
  if (SETUPS[client].session.wokenBy === undefined)
    await Promise.all([prompt(stage, 'look'), prompt({ model, terminal: other }, 'look too')]);
  const requests = [FIRST, SECOND].map((words) => model.reached((request) => hasAcked(request, words), LOST_MS));
  return (await Promise.all(requests)).map((request) => request?.results.find(isAck));
}

function hasAcked({ content, results }: ModelRequest, words: string): boolean {
  return content.includes(words) && results.some(isAck);
}

/** Other results of the session have more members. */
function isAck(result: string): boolean {
  return /\{\\"ok\\":true(?:\}|,\\"warning\\")/.test(result);
}

/** Qwen Code passes on the output of a background shell as XML. */
const TASK_ID =
  /not your user(?:'|&apos;)s words: (?:\\"|&quot;)sweep[^"&]*(?:"|&quot;)\. When done: send_reply to \S+ with in_reply_to (task_\w+)/;

/** A task that one session has acknowledged is no longer mentioned to the other. */
const UNTIL_BOTH_ARE_TOLD_MS = 2_000;

async function acknowledging({ content, results }: Turn): Promise<Action> {
  const [, message_id] = TASK_ID.exec(content) ?? [];
  if (message_id === undefined || results.some(isAck)) return { say: 'done' };
  await sleep(UNTIL_BOTH_ARE_TOLD_MS);
  return { tool: 'ack_inbox', args: { alias: ALIAS, message_id } };
}
