// Claude Code's hook events, and what the hub answers them with: nothing, or one fact about new mail. Its contract
// takes the same answer for every event: `additionalContext` is told to the model, and on Stop lets its turn go on.
import type { Message } from './message.ts';
import type { SessionStatus } from './session.ts';

/** What an event says of its agent; the others are only signs of life. */
const STATUS_BY_EVENT: Readonly<Record<string, SessionStatus>> = {
  UserPromptSubmit: 'working',
  PostToolUse: 'working',
  Stop: 'idle',
  SessionEnd: 'offline',
};

export function statusAt(event: string): SessionStatus | undefined {
  return Object.hasOwn(STATUS_BY_EVENT, event) ? STATUS_BY_EVENT[event] : undefined;
}

/** Nobody reads what a session that ended is told, and a turn that mail has prolonged once is not prolonged again. */
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

/** Under 1,000 characters, whatever the names. */
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
  if (type === 'cancel') return 'word of a task taken back';
  return type === 'task' && priority !== 'normal' ? `${priority} task` : type;
}

function originOf({ id, task_id, from_session: from }: Mail): string {
  return `${task_id ?? id} from ${shown(from)}`;
}

const SHOWN_NAME = 40;

// A name is whatever its bearer chose, and this line is read by a model: it stays one line, and short.
function shown(name: string): string {
  const characters = Array.from(name.replace(/[\p{C}\p{Z}]+/gu, ' '));
  return characters.length <= SHOWN_NAME ? characters.join('') : `${characters.slice(0, SHOWN_NAME - 1).join('')}…`;
}
