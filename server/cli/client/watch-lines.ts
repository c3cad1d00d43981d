// From an event of the network's stream to the line that tells a person of it. What comes as several events, as a send
// does for its task and for its addressee, is told once.
import type { SessionSummary } from '../../domain/session.ts';
import type { TaskRecord } from '../../domain/task.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { coloured, styled } from '../output.ts';
import { clip } from '../text-width.ts';
import type { HubEvent } from './hub-events.ts';

/** Remembers what it told, so that a heartbeat or the tenth copy of a broadcast says nothing new. */
export function openDescriber(): (event: HubEvent) => string | undefined {
  const sessions = new Map<string, string>();
  let lastBroadcast = '';
  const isRepeated = (event: HubEvent): boolean => {
    if (event.type === 'session') return isTold(sessions, event);
    const broadcast = event.type === 'broadcast' ? JSON.stringify([event.from, event.content]) : '';
    const isCopy = broadcast !== '' && broadcast === lastBroadcast;
    lastBroadcast = broadcast;
    return isCopy;
  };
  return (event) => {
    if (isRepeated(event)) return undefined;
    const said = describe(event);
    return said === undefined ? undefined : `${styled('gray', clockTime())}  ${said}`;
  };
}

function isTold(told: Map<string, string>, { alias, status, task, progress }: SessionSummary): boolean {
  const state = JSON.stringify([status, task, progress]);
  if (told.get(alias) === state) return true;
  told.set(alias, state);
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

const SAYINGS = {
  delivered: ({ from_name, to_name, content, priority }) =>
    `${pair(from_name, to_name)}  ${priority === 'normal' ? '' : `${priority} `}${coloured('delivered', 'task')}: ${short(content)}`,
  running: ({ to_name }) => `${name(to_name)} ${coloured('running', 'started')}`,
  replied: ({ from_name, to_name, result }) => `${pair(to_name, from_name)}  ${coloured('replied')}: ${short(result)}`,
  failed: ({ from_name, to_name, result }) => `${pair(to_name, from_name)}  ${coloured('failed')}: ${short(result)}`,
  cancelled: ({ to_name, result }) => `${name(to_name)} ${coloured('cancelled')}${result ? `: ${short(result)}` : ''}`,
  expired: ({ to_name }) => `${name(to_name)} ${coloured('expired')}`,
} as const satisfies Record<TaskRecord['status'], (task: TaskRecord) => string>;

// A hub of another version may send other statuses.
function taskLine(task: TaskRecord): string {
  const saying = Object.hasOwn(SAYINGS, task.status)
    ? SAYINGS[task.status](task)
    : `${name(task.to_name)} ${short(task.status)}`;
  return `${saying}  ${styled('gray', task.task_id)}`;
}

function sessionLine({ alias, status, task, progress }: SessionSummary): string {
  const doing = task === null ? '' : `: ${short(task)}${progress === null ? '' : ` (${progress} %)`}`;
  return `${name(alias)} is ${coloured(status)}${doing}`;
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

/** As the watch on the wall shows it: this line is for the person who sits here. */
function clockTime(): string {
  return new Date(systemClock.now()).toTimeString().slice(0, 8);
}
