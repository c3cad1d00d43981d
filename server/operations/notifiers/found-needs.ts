// Turns stored rows into needs with their texts, and decides which subscription reports which.
import { usernameKey } from '../../domain/accounts/user.ts';
import { STUCK_AFTER_MS } from '../../domain/limits.ts';
import type { Trigger } from '../../domain/notifiers/choices.ts';
import type { Need, Subscription } from '../../domain/notifiers/notifier.ts';
import type { SessionStatus } from '../../domain/session.ts';
import { withoutControls } from '../../domain/text/controls.ts';
import { titleOf } from '../../domain/text/markup.ts';
import { roughDuration } from '../../domain/time/time.ts';
import type { HeldTask } from '../../store/notifiers/abandoned-tasks.ts';
import type { AgentStatus, AgentText, Mail, TaskRow } from '../../store/notifiers/needs.ts';

/**
 * A need in a network. `addressee` is the name whose holder it concerns; undefined if it concerns everybody. `asked` is
 * to whom the agent has just sent its question, which is another need.
 */
export type Found = Omit<Need, 'network_id' | 'network_name'> & {
  network_seq: number;
  addressee?: string;
  asked?: string | undefined;
};

/** Mail and tasks of `hub` are for everybody in the network. */
const HUB = 'hub';

const HALTED = ['waiting_input', 'blocked', 'error'] as const satisfies readonly (SessionStatus & Trigger)[];
type HaltedStatus = (typeof HALTED)[number];

export function isHalted<Agent extends { status: SessionStatus }>(
  agent: Agent,
): agent is Agent & { status: HaltedStatus } {
  return HALTED.some((status) => status === agent.status);
}

const HALTED_TITLES: Record<HaltedStatus, string> = {
  waiting_input: 'needs input',
  blocked: 'is blocked',
  error: 'reported an error',
};

export function agentNeed(
  { network_seq, alias, at, status }: AgentStatus & { status: HaltedStatus },
  doing: AgentText,
  asked?: string,
): Found {
  const title = `${alias} ${HALTED_TITLES[status]}`;
  return { network_seq, trigger: status, title, text: lastSign(doing), path: agentPath(alias), alias, at, asked };
}

/** `at` is when it counted as stuck. */
export function stuckNeed(
  { network_seq, alias, at }: Pick<AgentStatus, 'network_seq' | 'alias' | 'at'>,
  doing: AgentText,
): Found {
  const title = `${alias} is stuck: no progress for ${roughDuration(STUCK_AFTER_MS)}`;
  return { network_seq, trigger: 'stuck', title, text: lastSign(doing), path: agentPath(alias), alias, at };
}

/** The trigger is that of a stuck one. */
export function lostNeed({ network_seq, alias, at }: AgentStatus, doing: AgentText): Found {
  const title = `${alias} went offline while it worked`;
  return { network_seq, trigger: 'stuck', title, text: lastSign(doing), path: agentPath(alias), alias, at };
}

function lastSign({ output, task }: AgentText): string {
  return lastLineOf(output ?? '') || firstLineOf(task ?? '');
}

function agentPath(alias: string): string {
  return `/agents/${encodeURIComponent(alias)}`;
}

export function mailNeed({ network_seq, message_id, alias, from_name, type, text, at }: Mail): Found {
  const path = `/messages?of=${encodeURIComponent(from_name)}`;
  const [what, trigger] = type === 'reply' ? (['Result', 'result'] as const) : (['Message', 'message'] as const);
  const about = { title: `${what} from ${from_name}`, text: firstLineOf(text), path, alias: from_name, message_id };
  return { network_seq, trigger, ...about, at, addressee: alias };
}

export function askedNeed(task: TaskRow): Found {
  return {
    ...taskNeed('message', task, `${task.from_name} asks: ${firstLineOf(task.text)}`, ''),
    addressee: task.to_name,
  };
}

export function failedNeed(task: TaskRow): Found {
  const verb = task.status === 'expired' ? 'expired' : 'failed';
  const title = `Task ${verb}: ${firstLineOf(task.text)}`;
  const text = firstLineOf(task.result ?? '') || `${task.to_name} did not settle it`;
  return { ...taskNeed('failed', task, title, text), addressee: task.from_name };
}

export function unfetchedNeed(task: TaskRow, minutes: number): Found {
  const text = `${task.to_name} has not fetched it in ${minutes} min`;
  return taskNeed('unfetched', task, `Not fetched: ${firstLineOf(task.text)}`, text);
}

export function expiringNeed(task: TaskRow): Found {
  return taskNeed('expiring', task, `About to expire: ${firstLineOf(task.text)}`, `for ${task.to_name}`);
}

/** Of one agent. The trigger is that of a stuck one: it holds tasks and makes no progress with them. */
export function abandonedNeed([task, ...others]: readonly HeldTask[]): Found[] {
  if (task === undefined) return [];
  const what = others.length === 0 ? 'a running task' : `${others.length + 1} running tasks`;
  return [taskNeed('stuck', task, `${task.to_name} is ${task.agent_status} with ${what}`, firstLineOf(task.text))];
}

function taskNeed(
  trigger: Trigger,
  { network_seq, task_id, to_name, at }: TaskRow,
  title: string,
  text: string,
): Found {
  return {
    network_seq,
    trigger,
    title,
    text,
    path: `/tasks/${encodeURIComponent(task_id)}`,
    alias: to_name,
    task_id,
    at,
  };
}

/** Whether the subscription reports the need: a user's own needs, or those of a whole network. */
export function isFor(subscription: Subscription, found: Found): boolean {
  const { asked, ...rest } = found;
  if (asked !== undefined && isFor(subscription, { ...rest, trigger: 'message', addressee: asked })) return false;
  const { trigger, addressee, at } = found;
  const { username_key, triggers, active_at } = subscription;
  if (!triggers.includes(trigger) || at < active_at) return false;
  if (addressee === undefined || addressee === HUB) return true;
  return username_key === null ? trigger === 'failed' : usernameKey(addressee) === username_key;
}

const MAX_LINE = 200;

function firstLineOf(text: string): string {
  return shortened(titleOf(text));
}

function lastLineOf(text: string): string {
  const lines = withoutControls(text).split('\n');
  return shortened(titleOf(lines.findLast((line) => line.trim() !== '') ?? ''));
}

/** `line` has no control characters other than tabs. */
function shortened(line: string): string {
  const characters = Array.from(line.replaceAll('\t', ' ').trim());
  return characters.length <= MAX_LINE ? characters.join('') : `${characters.slice(0, MAX_LINE - 1).join('')}…`;
}
