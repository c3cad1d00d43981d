// A session of a client in a terminal, as a person would use it, and what the cases do with it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientName } from './install.ts';
import type { JsonObject } from './json.ts';
import { containing, type Model, openModel, type Script } from './model.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { ALIAS, connectLine, type Dialog, SETUPS } from './setups.ts';
import type { Terminal } from './terminal.ts';
import { type WatchedHub, watchHub } from './watched-hub.ts';

export type Stage = {
  client: ClientName;
  hub: WatchedHub;
  model: Model;
  terminal: Terminal;
  /** Opens another session of the client, with this prompt. */
  openAnother(words: string): Promise<Terminal>;
};

/** Mail that takes longer is lost. */
export const LOST_MS = 60_000;

/** An alias without mail, so that fetching it leaves the mail of the session as it is. */
export const NOBODY = 'nobody';

const DONE: Script = () => ({ say: 'done' });

/** Connects the client as a person would, and opens its first session. */
export async function withStage<T>(client: ClientName, play: (stage: Stage) => Promise<T>): Promise<T> {
  await using hub = await watchHub();
  using sandbox = await openSandbox(client);
  using model = await openModel(obedient(client, DONE));
  const access = { home: sandbox.home, hub: hub.url, token: hub.token, model: model.url };
  const { env, files } = SETUPS[client];
  sandbox.write(files(access));
  await sandbox.run(connectLine(client), { ...env(access), AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: hub.token });
  const scene = { client, model, sandbox, env: env(access) };
  using terminal = await openSession(scene, { words: 'hello', isFirst: true });
  const openAnother = (words: string) => openSession(scene, { words, isFirst: false });
  return await play({ client, hub, model, terminal, openAnother });
}

type Scene = Pick<Stage, 'client' | 'model'> & { sandbox: Sandbox; env: Readonly<Record<string, string>> };

/** A client asks its questions once. */
async function openSession(
  { client, model, sandbox, env }: Scene,
  { words, isFirst }: { words: string; isFirst: boolean },
): Promise<Terminal> {
  const { start, ready, dialogs } = SETUPS[client].session;
  using cleanup = new DisposableStack();
  const terminal = cleanup.use(sandbox.open(start, env));
  if (isFirst) await answer(terminal, dialogs);
  await terminal.shows(ready);
  await prompt({ model, terminal }, words);
  cleanup.move();
  return terminal;
}

async function answer(terminal: Terminal, dialogs: readonly Dialog[]): Promise<void> {
  for (const { shows, keys } of dialogs) {
    await terminal.shows(shows);
    await terminal.press(...keys);
  }
}

/** Sets what the model does from now on. */
export function act({ client, model }: Pick<Stage, 'client' | 'model'>, script: Script = DONE): void {
  model.script = obedient(client, script);
}

const COMMAND = /`((?:[^`]+ wake --session|agenthub-wake) [^`]+)`/;
const AGAIN = 'run this command in the background again';

/** A model that does what it is told: it runs the command of a hook in a background shell, and again after its end. */
function obedient(client: ClientName, script: Script): Script {
  const { wokenBy } = SETUPS[client].session;
  if (typeof wokenBy !== 'object') return script;
  return (turn) => {
    const command = COMMAND.exec(turn.content)?.[1];
    const isTold = COMMAND.test(turn.news) || turn.news.includes(AGAIN);
    return isTold && command !== undefined ? { tool: wokenBy.tool, args: wokenBy.args(command) } : script(turn);
  };
}

/** After this time, a person would press Enter again, or type again: Gemini CLI ignores Enter just after its start. */
const ENTER_AGAIN_MS = 10_000;

/** Enters a prompt, and waits until the model has it. */
export async function prompt({ model, terminal }: Pick<Stage, 'model' | 'terminal'>, words: string): Promise<void> {
  for (let waited = 0; waited < LOST_MS; waited += ENTER_AGAIN_MS) {
    // Qwen Code drops what is typed while mail starts a turn.
    if (waited === 0 || !terminal.screen().includes(words)) terminal.type(words);
    await terminal.press('Enter');
    if ((await model.reached(containing(words), ENTER_AGAIN_MS)) !== undefined) return;
  }
  throw new Error(`the prompt does not reach the model:\n${terminal.screen()}`);
}

/** Waits until the turn has ended and, if mail can wake the session, something waits for mail; then a little longer. */
export async function isIdle({ client, hub }: Pick<Stage, 'client' | 'hub'>, sessions = 1): Promise<void> {
  const waiters = SETUPS[client].session.wokenBy === undefined ? 0 : sessions;
  const isReached = async () => (await hub.statusOf(ALIAS)) === 'idle' && (await hub.streams()) >= waiters;
  const end = performance.now() + LOST_MS;
  while (!(await isReached()) && performance.now() < end) await sleep(50);
  await sleep(300 + 400 * Math.random());
}

/** Waits until the model has had no request for this time. */
export async function isQuiet({ requests }: Model, quietMs: number): Promise<void> {
  for (;;) {
    const since = performance.now() - (requests.at(-1)?.at ?? 0);
    if (since >= quietMs) return;
    await sleep(quietMs - since);
  }
}

/** Words that occur nowhere else. */
export function wordsOf(kind: string, trial: number): string {
  return `${kind} number ${trial}.`;
}

export function sendTask(hub: WatchedHub, task: string, alias = ALIAS): Promise<JsonObject> {
  return hub.call('send_task', { alias, task, from_session: 'planner' });
}
