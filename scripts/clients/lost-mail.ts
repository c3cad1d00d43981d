// Mail at random moments of a session that works, ends its turns and is idle, while the hub is killed again and again.
// Every item that the hub has accepted must reach the model.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Action, containing, type Script } from './model.ts';
import { BROKEN, type Outcome, PASSED } from './outcome.ts';
import { ALIAS, SETUPS } from './setups.ts';
import { act, isQuiet, LOST_MS, NOBODY, prompt, type Stage, sendTask, wordsOf } from './stage.ts';

const upTo = (ms: number): number => ms * Math.random();

export async function noMailIsLost(stage: Stage, count: number): Promise<Outcome> {
  const { client, model } = stage;
  const letters = Array.from({ length: count }, (_, trial) => wordsOf('parcel', trial));
  await emptyInbox(stage);
  act(stage, workingAndReading());
  const over = new AbortController();
  const [, , kills] = await Promise.all([
    sendAll(stage, letters).finally(() => over.abort()),
    workUntil(stage, over.signal),
    killUntil(stage, over.signal),
  ]);
  if (SETUPS[client].session.wokenBy === undefined) {
    await isQuiet(model, BETWEEN_JOBS_MS);
    await prompt(stage, 'read your mail.'); // a question mark opens the help of some clients
  }
  await askAgain(stage, letters);
  const read = await Promise.all(letters.map((words) => model.reached(containing(words), LOST_MS)));
  const lost = read.filter((request) => request === undefined).length;
  const cell = `${lost} of ${count}, ${kills} kills`;
  return lost === 0 ? PASSED(cell) : BROKEN(cell);
}

const PATIENCE_MS = 10_000;

/** A person asks for the rest of the mail until the session has its tools back. */
async function askAgain({ client, model, terminal }: Stage, letters: readonly string[]): Promise<void> {
  const isRead = (words: string): boolean => model.requests.some(containing(words));
  const end = performance.now() + (SETUPS[client].session.withoutToolsMs ?? 0);
  for (let times = 1; performance.now() < end && !letters.every(isRead); times++) {
    await sleep(PATIENCE_MS);
    await isQuiet(model, BETWEEN_JOBS_MS);
    await prompt({ model, terminal }, `read your mail, request ${times}.`);
  }
}

const PAGE = 100;

/** The mail of earlier trials would fill the page that the model reads, and its context. */
async function emptyInbox({ hub }: Stage): Promise<void> {
  for (;;) {
    const { messages } = await hub.call('get_inbox', { alias: ALIAS, limit: PAGE });
    if (!Array.isArray(messages) || messages.length === 0) return;
    for (const { id } of messages) await hub.call('ack_inbox', { alias: ALIAS, message_id: id });
  }
}

async function sendAll({ hub }: Stage, letters: readonly string[]): Promise<void> {
  for (const words of letters) {
    await sleep(upTo(2_000));
    await sendTask(hub, words);
  }
}

const BETWEEN_JOBS_MS = 400;

/** A person who gives one job after the other, with pauses in which the session is idle. */
async function workUntil(stage: Stage, over: AbortSignal): Promise<void> {
  for (let job = 0; !over.aborted; job++) {
    await isQuiet(stage.model, BETWEEN_JOBS_MS);
    await prompt(stage, wordsOf('job', job));
    await sleep(upTo(3_000));
  }
}

async function killUntil({ hub }: Stage, over: AbortSignal): Promise<number> {
  for (let kills = 0; ; ) {
    await hub.restart(upTo(1_000));
    kills++;
    await sleep(1_000 + upTo(3_000));
    if (over.aborted) return kills;
  }
}

const MENTION = /get_inbox has (?:it|them)\./;
/** In what get_inbox returns, as a JSON string; the names also stand in descriptions of the tools. */
const INBOX = /messages\\*": *\[/;
const ITEM = /from_session\\*": *\\*"/g;

/** Whether a mention came after the last mail that the model has read, as when the session had no tools. */
function isUnread(items: readonly object[]): boolean {
  const sinceRead = JSON.stringify(items).split(ITEM).at(-1) ?? '';
  return MENTION.test(sinceRead);
}

const CALLS_OF_JOB = 2;
const THINKING_MS = 500;
const AGAIN_MS = 500;

/** Works on each job with some tool calls, and reads the inbox whenever a mention says so, again if the call fails. */
function workingAndReading(): Script {
  let left = 0;
  let isReading = false;
  return async ({ items, news }): Promise<Action> => {
    if (/job number \d+\./.test(news)) left = CALLS_OF_JOB;
    if (isReading && !INBOX.test(news)) await sleep(AGAIN_MS);
    else isReading = MENTION.test(news) || (!INBOX.test(news) && isUnread(items));
    if (isReading) return { tool: 'get_inbox', args: { alias: ALIAS, limit: PAGE } };
    if (left === 0) return { say: 'done' };
    left--;
    await sleep(upTo(THINKING_MS));
    return { tool: 'get_inbox', args: { alias: NOBODY } };
  };
}
