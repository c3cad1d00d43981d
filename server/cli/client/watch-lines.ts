// Formats events of the network's stream as lines for people. A change that causes several events, such as a send,
// which has one for the task and one for the recipient, produces one line.
import type { SessionSummary } from '../../domain/session.ts';
import type { TaskRecord } from '../../domain/task.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { colored, styled } from '../output.ts';
import { clip } from '../text-width.ts';
import type { HubEvent } from './hub-events.ts';

/** Remembers the previous lines, so that a heartbeat or the tenth copy of a broadcast produces no output. */
export function openDescriber(): (event: HubEvent) => string | undefined {
  const sessions = new Map<string, string>();
  let lastBroadcast = '';
  const isRepeated = (event: HubEvent): boolean => {
    if (event.type === 'session') return isKnown(sessions, event);
    const broadcast = event.type === 'broadcast' ? JSON.stringify([event.from, event.content]) : '';
    const isCopy = broadcast !== '' && broadcast === lastBroadcast;
    lastBroadcast = broadcast;
    return isCopy;
  };
  return (event) => {
    if (isRepeated(event)) return undefined;
    const line = describe(event);
    return line === undefined ? undefined : `${styled('gray', clockTime())}  ${line}`;
  };
}

function isKnown(known: Map<string, string>, { alias, status, task, progress }: SessionSummary): boolean {
  const state = JSON.stringify([status, task, progress]);
  if (known.get(alias) === state) return true;
  known.set(alias, state);
  return false;
}

function describe(event: HubEvent): string | undefined {
  switch (event.type) {
    case 'task':
      return taskLine(event);
    case 'session':
      return sessionLine(event);
    case 'new_message':
      return `${pair(event.from, event.alias)}  message: ${short(event.message)}`;
    case 'broadcast':
      return `${pair(event.from, 'all')}  broadcast: ${short(event.content)}`;
    case 'new_reply':
      return event.status === null || event.in_reply_to === null
        ? `${pair(event.from, event.alias)}  reply`
        : undefined;
    default:
      return undefined;
  }
}

const TASK_LINES = {
  delivered: ({ from_name, to_name, content, priority }) =>
    `${pair(from_name, to_name)}  ${priority === 'normal' ? '' : `${priority} `}${colored('delivered', 'task')}: ${short(content)}`,
  running: ({ to_name }) => `${name(to_name)} ${colored('running', 'started')}`,
  replied: ({ from_name, to_name, result }) => `${pair(to_name, from_name)}  ${colored('replied')}: ${short(result)}`,
  failed: ({ from_name, to_name, result }) => `${pair(to_name, from_name)}  ${colored('failed')}: ${short(result)}`,
  cancelled: ({ to_name, result }) => `${name(to_name)} ${colored('cancelled')}${result ? `: ${short(result)}` : ''}`,
  expired: ({ to_name }) => `${name(to_name)} ${colored('expired')}`,
} as const satisfies Record<TaskRecord['status'], (task: TaskRecord) => string>;

// A hub of another version may send other statuses.
function taskLine(task: TaskRecord): string {
  const line = Object.hasOwn(TASK_LINES, task.status)
    ? TASK_LINES[task.status](task)
    : `${name(task.to_name)} ${short(task.status)}`;
  return `${line}  ${styled('gray', task.task_id)}`;
}

function sessionLine({ alias, status, task, progress }: SessionSummary): string {
  const doing = task === null ? '' : `: ${short(task)}${progress === null ? '' : ` (${progress}%)`}`;
  return `${name(alias)} is ${colored(status)}${doing}`;
}

function pair(from: string, to: string | undefined): string {
  return `${name(from)} → ${name(to ?? '?')}`;
}

function name(alias: string): string {
  return styled('bold', oneLine(alias));
}

const SHORT = 80;

function short(text: string | null): string {
  return clip(oneLine(text ?? ''), SHORT);
}

/** Local time, because the line is for the person at this terminal. */
function clockTime(): string {
  return new Date(systemClock.now()).toTimeString().slice(0, 8);
}
