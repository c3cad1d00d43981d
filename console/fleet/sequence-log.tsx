// The arrows of the sequence view, oldest first, one list item each: a screen reader gets the list that the diagram
// draws. It stays scrolled to the end, or holds still while the user reads it.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { account } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { language, words } from '../i18n/language.ts';
import { hubTime } from '../live/clock.ts';
import type { Conversation } from '../messages/conversation.ts';
import { LogFrame } from '../messages/log-frame.tsx';
import { type ChatEntry, chatEntriesOf } from '../messages/merge.ts';
import { kindOf } from '../messages/message-item.tsx';
import { HUB_ALIAS } from '../needs-you/need.ts';
import { Empty, NoResults } from '../parts/empty.tsx';
import { exactTime, headline, momentOf, shortTime, timeOfDay } from '../parts/format.ts';
import { useFreeze } from '../parts/freeze.ts';
import { agentPath, conversationPath, PATHS, taskPath } from '../routes.ts';
import { type Arrow, arrowOf, type Chosen, isShown, lanesOf, MAX_LANES } from './sequence.ts';
import { SPANS } from './spans.ts';

type SequenceLogProps = { conversation: Conversation; chosen: Chosen };

export function SequenceLog({ conversation, chosen }: SequenceLogProps) {
  const { rows, hasOlder } = conversation;
  const freeze = useFreeze<HTMLDivElement>();
  const entries = useEntries(rows.value, chosen);
  const lanes = useLanes(entries ?? [], chosen);
  return (
    <LogFrame
      conversation={conversation}
      entries={entries}
      freeze={freeze}
      hasOlder={hasOlder.value && mayBeShown(rows.value?.[0]?.created_at, chosen)}
      empty={<Nothing chosen={chosen} />}
    >
      {entries !== null && entries.length > 0 && <Diagram entries={entries} lanes={lanes} />}
    </LogFrame>
  );
}

function useEntries(rows: Conversation['rows']['value'], chosen: Chosen): ChatEntry[] | null {
  const now = hubTime();
  return rows === null ? null : chatEntriesOf(rows.filter((message) => isShown(message, chosen, now)));
}

/** Lanes keep their places while the page is open. */
function useLanes(entries: readonly ChatEntry[], { agents }: Chosen): readonly string[] {
  const known = useRef<readonly string[]>(agents);
  known.current = lanesOf(entries, known.current, [HUB_ALIAS, account.value?.user.username ?? '']);
  return known.current;
}

/** Whether messages before this time could be shown. */
function mayBeShown(created_at: string | undefined, { span }: Chosen): boolean {
  if (created_at === undefined || span === undefined) return true;
  return momentOf(created_at) >= hubTime() - SPANS[span];
}

function Nothing({ chosen: { agents, kind, span } }: { chosen: Chosen }) {
  const { messages } = words.value;
  return agents.length > 0 || kind !== undefined || span !== undefined ? (
    <NoResults clearPath={PATHS.sequence} />
  ) : (
    <Empty title={messages.emptyTitle} text={messages.emptyText} />
  );
}

const narrow = matchMedia('(max-width: 640px)');
const LANES_ON_PHONE = 3;
/** The number of lanes that fit next to each other. */
const FEW = 8;

type DiagramProps = { entries: readonly ChatEntry[]; lanes: readonly string[] };

function Diagram({ entries, lanes }: DiagramProps) {
  const { sequence: text } = words.value;
  const { query } = useAddress();
  const hasOthers = lanes.length === MAX_LANES;
  const isList = query['view'] === 'list' || (narrow.matches && lanes.length > LANES_ON_PHONE);
  const [view, isNamed] = [isList ? 'list' : 'diagram', isList || lanes.length > FEW];
  return (
    <div class="lanes" data-view={view} style={{ '--lanes': lanes.length + Number(hasOthers) }}>
      {!isList && (
        <ul class="lane-names" aria-label={text.lanes}>
          {lanes.map((name) => (
            <li key={name}>
              <a class="lane-name" href={agentPath(name)} title={name} dir="auto">
                {name}
              </a>
            </li>
          ))}
          {hasOthers && <li class="lane-name">{text.others}</li>}
        </ul>
      )}
      <ol>
        {entries.map((entry, index) => (
          <li key={entry.message.id} class="row lane-row" data-type={entry.message.type} data-status={toneOf(entry)}>
            <Time of={entry.message.created_at} after={entries[index - 1]?.message.created_at} />
            {isList ? (
              <div class="lane-line">
                <Text entry={entry} isNamed={isNamed} />
              </div>
            ) : (
              <Track arrow={arrowOf(entry, lanes)}>
                <Text entry={entry} isNamed={isNamed} />
              </Track>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function toneOf({ message: { type, status } }: ChatEntry): string | undefined {
  return type === 'reply' ? (status ?? 'replied') : undefined;
}

/** With few lanes, names would repeat what the diagram shows. */
function Text({ entry, isNamed }: { entry: ChatEntry; isNamed: boolean }) {
  const { message, copies } = entry;
  const { messages: text } = words.value;
  return (
    <a class="row-link lane-text" href={pathOf(entry)}>
      <span class={isNamed ? 'lane-route' : 'visually-hidden'}>
        <bdi>{message.from_session}</bdi> <span aria-hidden="true">→</span>
        <span class="visually-hidden"> {text.to}</span>{' '}
        <bdi>{copies.length === 1 ? message.alias : text.agents(copies.length)}</bdi>:
      </span>{' '}
      <span class="lane-kind">{kindOf(message)}</span> <bdi>{headline(message.content)}</bdi>
    </a>
  );
}

type TrackProps = { arrow: Arrow; children: ComponentChildren };

function Track({ arrow: { from, to, first, last }, children }: TrackProps) {
  return (
    <div class="lane-track" style={{ '--first': first, '--last': last }}>
      {children}
      <span class="lane-arrow" aria-hidden="true" />
      <span class="lane-end" aria-hidden="true" style={{ '--at': from }} />
      {to.map((at) => (
        <span key={at} class="lane-end" aria-hidden="true" data-head={headOf(from, at)} style={{ '--at': at }} />
      ))}
    </div>
  );
}

/** A message from an agent to itself has no direction. */
function headOf(from: number, to: number): 'forward' | 'back' | undefined {
  return to === from ? undefined : to > from ? 'forward' : 'back';
}

/** A task opens its page; any other message opens its conversation. */
function pathOf({ message: { task_id, alias, from_session }, copies }: ChatEntry): string {
  if (task_id !== undefined) return taskPath(task_id);
  return conversationPath(from_session, copies.length === 1 ? alias : undefined);
}

/** The date is shown where it changes. */
function Time({ of, after }: { of: string; after: string | undefined }) {
  const at = momentOf(of);
  const isSameDay = after !== undefined && dayOf(momentOf(after)) === dayOf(at);
  const shown = isSameDay || dayOf(at) === dayOf(Date.now()) ? timeOfDay : shortTime;
  return (
    <time class="lane-time" dateTime={new Date(at).toISOString()} title={exactTime(at, language.value)}>
      {shown(at, language.value)}
    </time>
  );
}

function dayOf(moment: number): string {
  return new Date(moment).toDateString();
}
