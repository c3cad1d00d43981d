// What a short task costs an idle agent, from the mention to the reply: calls to the model, and tokens of everything
// that the hub adds to the conversation. The model does only what the mention says.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { type ClientName, PACKAGES } from './install.ts';
import { isObject } from './json.ts';
import { containing, type ModelRequest, type Script } from './model.ts';
import { BROKEN, type Outcome, PASSED } from './outcome.ts';
import { ALIAS, SETUPS } from './setups.ts';
import { act, isIdle, isQuiet, LOST_MS, prompt, type Stage, sendTask } from './stage.ts';

const TASK = 'fix the failing test of the parser';
const REPLY = 'It passes again.';
const MAX_CALLS = 2;
const MAX_TOKENS = 400;
const SETTLED_MS = 1_500;

export async function costOfTask(stage: Stage): Promise<Outcome> {
  const { client, hub, model } = stage;
  act(stage, settlingOnce());
  await isIdle(stage);
  await isQuiet(model, SETTLED_MS);
  const before = model.requests.length;
  await hub.call('report_status', { resume_id: 'planner', alias: 'planner', status: 'idle' });
  const { task_id } = await sendTask(hub, TASK);
  if (SETUPS[client].session.wokenBy === undefined) await prompt(stage, 'go on');
  if ((await model.reached(containing(TASK), LOST_MS)) === undefined) return BROKEN('not told');
  await model.reached(containing(TASK, REPLY), LOST_MS);
  await isIdle(stage);
  await isQuiet(model, SETTLED_MS);
  const calls = model.requests.slice(before).filter(containing(TASK)); // others are for titles and the like
  const tokens = tokensOf(calls.at(-1) ?? { items: [] });
  const { task: settled } = await hub.call('get_task', { task_id });
  const isSettled = isObject(settled) && settled.status === 'replied';
  const isCheap = !isLimited(client) || (calls.length <= MAX_CALLS && tokens <= MAX_TOKENS);
  const cell = `${calls.length}, ${tokens}`;
  return isSettled && isCheap ? PASSED(cell) : BROKEN(`${cell}${isSettled ? '' : ', not settled'}`);
}

/** The limits are promised for Claude Code. In a background shell, a waiter costs more. */
function isLimited(client: ClientName): boolean {
  return PACKAGES[client].command === 'claude';
}

const CALL = /When done: send_reply to (\S+) with in_reply_to (task_\w+)\./;

/** Makes the call that the mention asks for, with its arguments. */
function settlingOnce(): Script {
  let isDone = false;
  return ({ content }) => {
    const [, alias, in_reply_to] = CALL.exec(content.slice(content.indexOf(TASK))) ?? [];
    if (isDone || !content.includes(TASK) || alias === undefined) return { say: 'done' };
    isDone = true;
    return { tool: 'send_reply', args: { alias, text: REPLY, in_reply_to, from_session: ALIAS } };
  };
}

/** Of the mention, the calls and their results, with the envelopes of the client, and without its instructions. */
function tokensOf({ items }: Pick<ModelRequest, 'items'>): number {
  const first = items.findIndex((item) => JSON.stringify(item).includes(TASK));
  return encode(JSON.stringify(items.slice(first).filter(({ role }) => role !== 'system'))).length;
}
