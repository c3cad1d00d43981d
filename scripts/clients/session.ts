// A session of a client in a terminal, as a person would use it: mail that comes while the model works, at the end of a
// turn, and while nobody does anything, many times. Measures how long it takes until the model reads the mail.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientName, PACKAGES } from './install.ts';
import { type Model, openModel } from './model.ts';
import { openSandbox } from './sandbox.ts';
import { ALIAS, connectLine, SETUPS } from './setups.ts';
import type { Terminal } from './terminal.ts';
import { type WatchedHub, watchHub } from './watched-hub.ts';

type Stage = { hub: WatchedHub; model: Model; terminal: Terminal; trial: number };

/** Runs one trial and returns its milliseconds; undefined if the mail did not arrive. */
type Trial = (stage: Stage) => Promise<number | undefined>;

export const CASES: readonly { title: string; isFor: (client: ClientName) => boolean; run: Trial }[] = [
  { title: 'after a tool call', isFor: () => true, run: afterTool },
  { title: 'end of turn', isFor: () => true, run: atEndOfTurn },
  { title: 'idle', isFor: (client) => SETUPS[client].session.isWoken, run: whileIdle },
  { title: 'hub killed during a wait', isFor: (client) => SETUPS[client].session.waitsAgain, run: throughRestart },
];

/** An alias without mail, so that fetching it leaves the mail of the session as it is. */
const NOBODY = 'nobody';
/** An alias of which the hooks of the session say nothing. */
const WAITING = 'waiting';

const LOST_MS = 20_000;
const SHOWN_MS = 5_000;
const REFUSAL = 'the token is unknown, revoked or expired';

/** Returns the cells of a row: the client, and the percentiles of each case. */
export async function runSession(
  client: ClientName,
  trials: number,
  onProgress: (line: string) => void,
): Promise<string[]> {
  await using hub = await watchHub();
  using sandbox = await openSandbox(client);
  using model = await openModel(() => ({ say: 'done' }));
  const access = { home: sandbox.home, hub: hub.url, token: hub.token, model: model.url };
  const { env, files, session } = SETUPS[client];
  sandbox.write(files(access));
  await sandbox.run(connectLine(client), { ...env(access), AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: hub.token });
  using terminal = sandbox.open(session.start, env(access));
  for (const { shows, keys } of session.dialogs) {
    await terminal.shows(shows);
    await terminal.press(...keys);
  }
  await terminal.shows(session.ready);
  await prompt({ model, terminal }, 'hello');
  const cells = [PACKAGES[client].title];
  for (const { title, isFor, run } of CASES) {
    onProgress(`${PACKAGES[client].title}: ${title}`);
    const times: (number | undefined)[] = [];
    if (isFor(client))
      for (let trial = 0; trial < trials; trial++) {
        model.script = () => ({ say: 'done' });
        await isIdle(hub);
        times.push(await run({ hub, model, terminal, trial }));
      }
    cells.push(percentiles(times));
  }
  onProgress(`${PACKAGES[client].title}: revoked token`);
  cells.push(await revocationOf({ hub, model, terminal }));
  return cells;
}

/** Whether the person or the model reads, with the next prompt, that the token does not work. */
async function revocationOf({ hub, model, terminal }: Pick<Stage, 'hub' | 'model' | 'terminal'>): Promise<string> {
  await isIdle(hub);
  await hub.revoke();
  await prompt({ model, terminal }, 'go on');
  const told = await model.reached(REFUSAL, SHOWN_MS);
  const isShown = terminal.screen().replace(/\s+/g, ' ').includes(REFUSAL);
  return [...(isShown ? ['person'] : []), ...(told === undefined ? [] : ['model'])].join(', ') || 'NO';
}

/** Enters a prompt, and waits until the model has it. */
async function prompt({ model, terminal }: Pick<Stage, 'model' | 'terminal'>, words: string): Promise<void> {
  terminal.type(words);
  await terminal.press('Enter');
  if ((await model.reached(words, LOST_MS)) === undefined)
    throw new Error(`the prompt does not reach the model:\n${terminal.screen()}`);
}

async function isIdle(hub: WatchedHub): Promise<void> {
  const end = performance.now() + LOST_MS;
  while ((await hub.statusOf(ALIAS)) !== 'idle' && performance.now() < end) await sleep(50);
  await sleep(300 + 400 * Math.random());
}

/** Words that occur nowhere else. */
function wordsOf(kind: string, trial: number): string {
  return `${kind} number ${trial}.`;
}

async function afterTool({ hub, model, terminal, trial }: Stage): Promise<number | undefined> {
  const words = wordsOf('water plant', trial);
  let sent = 0;
  model.script = async ({ content }) => {
    if (sent > 0 || !content.includes(wordsOf('tool', trial))) return { say: 'done' };
    sent = performance.now();
    await send(hub, words);
    return { tool: 'get_inbox', args: { alias: NOBODY } };
  };
  await prompt({ model, terminal }, wordsOf('tool', trial));
  const request = await model.reached(words, LOST_MS);
  return since(sent, request);
}

async function atEndOfTurn({ hub, model, terminal, trial }: Stage): Promise<number | undefined> {
  const words = wordsOf('feed cat', trial);
  let ended = 0;
  model.script = async ({ content }) => {
    if (ended > 0 || !content.includes(wordsOf('turn', trial))) return { say: 'done' };
    await send(hub, words);
    ended = performance.now();
    return { say: 'done' };
  };
  await prompt({ model, terminal }, wordsOf('turn', trial));
  const request = await model.reached(words, LOST_MS);
  return since(ended, request);
}

async function whileIdle({ hub, model, trial }: Stage): Promise<number | undefined> {
  const words = wordsOf('lock door', trial);
  const sent = performance.now();
  await send(hub, words);
  return since(sent, await model.reached(words, LOST_MS));
}

/** The client repeats a call that fails. Measured from the send after the restart. */
async function throughRestart({ hub, model, terminal, trial }: Stage): Promise<number | undefined> {
  const [start, words] = [wordsOf('wait', trial), wordsOf('close window', trial)];
  const call = { tool: 'get_inbox', args: { alias: WAITING, wait_seconds: 60 } };
  model.script = ({ content }) => (content.includes(start) && !content.includes(words) ? call : { say: 'done' });
  await prompt({ model, terminal }, start);
  await hub.isWaiting();
  await hub.restart();
  const sent = performance.now();
  await hub.send('send_task', { alias: WAITING, task: words, from_session: 'planner' });
  return since(sent, await model.reached(words, LOST_MS));
}

function send(hub: WatchedHub, task: string): Promise<void> {
  return hub.send('send_task', { alias: ALIAS, task, from_session: 'planner' });
}

function since(start: number, request: { at: number } | undefined): number | undefined {
  return request === undefined ? undefined : request.at - start;
}

function percentiles(times: readonly (number | undefined)[]): string {
  if (times.length === 0) return '–';
  const arrived = times.filter((time) => time !== undefined).sort((one, other) => one - other);
  if (arrived.length < times.length) return `${times.length - arrived.length} of ${times.length} lost`;
  const at = (share: number): string => (arrived[Math.ceil(share * arrived.length) - 1] ?? 0).toFixed(0);
  return `${at(0.5)} / ${at(0.95)}`;
}
