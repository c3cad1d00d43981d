// wake: waits until an idle session of a coding agent has new mail, and then wakes it, in the way its client allows: as
// a hook, with a line on standard error and exit code 2; in a background shell, with its end; or with a command.
// Survives restarts of the hub. A newer waiter of the same session replaces this one, and the end of the session ends
// it.
import { spawn } from 'node:child_process';
import { CLAUDE_MOMENTS } from '../../domain/clients/client.ts';
import { CLIENTS, CONNECT_NAMES } from '../../domain/clients/clients.ts';
import { momentOf } from '../../domain/hooks/moments.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { type AgentOptions, type ConnectForms, hubOf } from '../client/access/agent-tokens.ts';
import { hubWords } from '../client/access/hub-options.ts';
import { backoffDelays } from '../client/backoff.ts';
import { isAttended, pluginConnection } from '../client/hook-environment.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { say } from '../output.ts';
import { thisProgram } from '../this-program.ts';
import { readEvent, textIn } from './event-input.ts';
import { mentions } from './mentions.ts';
import { claimSession, isAlive, ownerOf } from './session-claim.ts';

export type WakeOptions = AgentOptions & { session?: string; exec?: string; detached?: string; owner?: number };

export async function wake({ session: named, exec, detached, owner, ...agent }: WakeOptions): Promise<void> {
  if (!isAttended()) return;
  const event = named === undefined && detached === undefined ? await readEvent('agenthub wake') : {};
  const session = named ?? detached ?? textIn(event, 'session_id');
  if (session === undefined) throw new CommandError('the event on standard input has no session_id; pass --session');
  const { alias } = agent;
  const hub = await hubOf(agent, connectForms({ exec, isInShell: named !== undefined }));
  if (exec !== undefined && detached === undefined) return detach(agent, session, exec);
  const claim = claimSession({ url: hub.url, alias, session });
  const client = owner ?? ownerOf(process.pid);
  const isInShell = named !== undefined && exec === undefined;
  const isInTurn = momentOf(CLAUDE_MOMENTS, textIn(event, 'hook_event_name') ?? '') === 'prompt';
  const isNeeded = () => claim.isHeld() && isAlive(client);
  try {
    for await (const line of mentions(hub, { alias, session, isInTurn, isNeeded })) {
      if (exec !== undefined) await runUntilDone(exec, { session, line }, isNeeded);
      else return isInShell ? say(oneLine(`${line} ${AGAIN}`)) : endHook(line);
    }
    if (isInShell) say(claim.isHeld() ? ENDED : REPLACED);
  } finally {
    claim.release();
  }
}

/** A waiter does not know its client, but each way to wake a session belongs to one, except for a background shell. */
function connectForms({ exec, isInShell }: { exec: string | undefined; isInShell: boolean }): ConnectForms {
  if (pluginConnection() !== undefined) return ['claude --plugin'];
  const woken = exec === undefined ? (['claude'] as const) : (['codex'] as const);
  return (isInShell ? WOKEN_BY_SHELL : woken).map((name) => `${name} --hooks`);
}

const WOKEN_BY_SHELL = CONNECT_NAMES.filter((name) => CLIENTS[name].setup.wake.by === 'shell');

/** Hooks that are not asynchronous must end at once, so the waiter runs in the background. */
function detach({ alias, url, ...selecting }: AgentOptions, session: string, exec: string): void {
  const [file = '', ...first] = thisProgram();
  const options = ['--alias', alias, '--detached', session, '--exec', exec, '--owner', String(ownerOf(process.pid))];
  const address = url === undefined ? [] : ['--url', url];
  spawn(file, [...first, 'wake', ...options, ...address, ...hubWords(selecting)], {
    detached: true,
    stdio: 'ignore',
  }).unref();
}

/** For the model that has started the command in a background shell. */
const AGAIN = 'To get the next mail while you are idle, run this command in the background again.';
/** A model that is not told why its command has ended starts it again. */
const REPLACED = 'agenthub: another of these commands waits for this session. Do not start one more.';
const ENDED = 'agenthub: the session has ended. Do not run this command again.';

/** Claude Code starts a turn with the line when an asynchronous hook ends like this. */
function endHook(line: string): void {
  process.stderr.write(`${oneLine(line)}\n`);
  process.exitCode = EXIT.usage;
}

/** A command that fails is run again, so that the mail is not lost. */
async function runUntilDone(exec: string, values: { session: string; line: string }, isNeeded: () => boolean) {
  const pause = backoffDelays();
  const [file = '', ...args] = argumentsOf(exec, values);
  while (isNeeded() && !(await succeeds(file, args))) await pause.next(NEVER);
}

const NEVER = new AbortController().signal;

/** Without a shell, since peers write a part of the line. */
function argumentsOf(exec: string, values: { session: string; line: string }): string[] {
  return exec
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('{session}', () => values.session).replaceAll('{line}', () => oneLine(values.line)));
}

function succeeds(file: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'ignore' });
    child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0));
  });
}
