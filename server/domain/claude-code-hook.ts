// Claude Code's hook events and the hub's response to them: nothing, or one notice of new messages. The response has
// the same form for every event: `additionalContext` is passed to the model, and on Stop it continues the turn.
import type { Message } from './message.ts';
import type { SessionStatus } from './session.ts';

/** The status an event implies; all other events are only heartbeats. */
const STATUS_BY_EVENT: Readonly<Record<string, SessionStatus>> = {
  UserPromptSubmit: 'working',
  PostToolUse: 'working',
  Stop: 'idle',
  SessionEnd: 'offline',
};

export function statusAt(event: string): SessionStatus | undefined {
  return Object.hasOwn(STATUS_BY_EVENT, event) ? STATUS_BY_EVENT[event] : undefined;
}

/** A session that ended cannot read a notice, and a turn that a notice has extended is not extended again. */
export function mayMention(event: string, isStopHookActive: boolean): boolean {
  return statusAt(event) !== undefined && event !== 'SessionEnd' && !(event === 'Stop' && isStopHookActive);
}

export type Mail = Pick<Message, 'id' | 'type' | 'priority' | 'from_session' | 'task_id'> & { seq: number };

export type HookAnswer = { hookSpecificOutput?: { hookEventName: string; additionalContext: string } };

export function hookAnswer(event: string, alias: string, mail: readonly Mail[], isMore: boolean): HookAnswer {
  if (mail.length === 0) return {};
  return { hookSpecificOutput: { hookEventName: event, additionalContext: mention(alias, mail, isMore) } };
}

const SHOWN_ITEMS = 5;

/** Under 1,000 characters, regardless of the names. */
function mention(alias: string, mail: readonly Mail[], isMore: boolean): string {
  const [first] = mail;
  if (first !== undefined && mail.length === 1) {
    return `agenthub: 1 new ${kindOf(first)} for ${shown(alias)} (${originOf(first)}). get_inbox has it.`;
  }
  const items = mail.slice(0, SHOWN_ITEMS).map((item) => `${kindOf(item)} (${originOf(item)})`);
  const rest = mail.length > SHOWN_ITEMS ? ', …' : '';
  return `agenthub: ${mail.length}${isMore ? '+' : ''} new for ${shown(alias)}: ${items.join(', ')}${rest}. get_inbox has them.`;
}

function kindOf({ type, priority }: Mail): string {
  if (type === 'cancel') return 'cancellation';
  return type === 'task' && priority !== 'normal' ? `${priority}-priority task` : type;
}

function originOf({ id, task_id, from_session: from }: Mail): string {
  return `${task_id ?? id} from ${shown(from)}`;
}

const SHOWN_NAME = 40;

// Users choose names freely and a model reads this line, so a name stays on one line and short.
function shown(name: string): string {
  const characters = Array.from(name.replace(/[\p{C}\p{Z}]+/gu, ' '));
  return characters.length <= SHOWN_NAME ? characters.join('') : `${characters.slice(0, SHOWN_NAME - 1).join('')}…`;
}
