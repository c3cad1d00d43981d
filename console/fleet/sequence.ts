// The sequence view: which messages it shows, and between which lanes each is drawn. A lane is an agent or a person.
// The address holds the whole choice.
import type { MessageType } from '../../server/domain/message.ts';
import type { MessageRecord } from '../live/api.ts';
import type { Side } from '../messages/conversation.ts';
import type { ChatEntry } from '../messages/merge.ts';
import { momentOf } from '../parts/format.ts';
import { statusNamed } from '../parts/statuses.ts';
import { SPANS, type Span, spanNamed } from './spans.ts';

export const KINDS = ['task', 'reply', 'message', 'broadcast', 'cancel'] as const satisfies readonly MessageType[];

export type Chosen = {
  /** None: all messages. One: all messages of that agent. Several: the messages among them. */
  agents: readonly string[];
  kind: MessageType | undefined;
  span: Span | undefined;
};

/** Ignores invalid values in the address. */
export function chosenIn(query: Record<string, string>): Chosen {
  return {
    agents: aliasesIn(query['agents']),
    kind: statusNamed(KINDS, query['kind']),
    span: spanNamed(query['span']),
  };
}

function aliasesIn(list = ''): string[] {
  const aliases = list.split(',').map((each) => decoded(each).trim());
  return [...new Set(aliases.filter((alias) => alias !== ''))].slice(0, MAX_LANES);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The inboxes of more agents than this are not read one by one. */
const MAX_INBOXES = 6;

/** The lists of messages to read. They may contain others too. */
export function listsOf({ agents }: Chosen): Side[] {
  const [only, ...others] = agents;
  if (only === undefined || agents.length > MAX_INBOXES) return [{}];
  return others.length === 0 ? [{ alias: only }, { from_session: only }] : agents.map((alias) => ({ alias }));
}

export function isShown(message: MessageRecord, { agents, kind, span }: Chosen, now: number): boolean {
  const ends = [message.from_session, message.alias];
  const isAmong = agents.length < 2 || ends.every((name) => agents.includes(name));
  return (
    isAmong &&
    (kind === undefined || message.type === kind) &&
    (span === undefined || momentOf(message.created_at) >= now - SPANS[span])
  );
}

/** Users cannot tell more lanes apart. */
export const MAX_LANES = 50;

/**
 * A lane that is shown keeps its place. Those in `first` precede the others, which follow by the number of their messages;
 * the lane of all others comes last.
 */
export function lanesOf(
  entries: readonly ChatEntry[],
  known: readonly string[],
  first: readonly string[] = [],
): string[] {
  const names = entries.flatMap(({ message, copies }) => [message.from_session, ...copies.map(({ alias }) => alias)]);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? (first.includes(name) ? names.length : 0)) + 1);
  const added = [...counts].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  return [...new Set([...known, ...added])].slice(0, MAX_LANES);
}

export type Arrow = { from: number; to: readonly number[]; first: number; last: number };

/** The numbers of the lanes of an arrow. Lane `lanes.length` is that of all others. */
export function arrowOf({ message, copies }: ChatEntry, lanes: readonly string[]): Arrow {
  const laneOf = (name: string) => (lanes.includes(name) ? lanes.indexOf(name) : lanes.length);
  const from = laneOf(message.from_session);
  const to = [...new Set(copies.map(({ alias }) => laneOf(alias)))];
  return { from, to, first: Math.min(from, ...to), last: Math.max(from, ...to) };
}
