// The list of conversations: everyone, the user, hub, agents, and other names that occur in messages.
import { useSignal } from '@preact/signals';
import { account } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { shortCount } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { withQuery } from '../live/request.ts';
import { agents, agentsByAlias } from '../live/store.ts';
import { HUB_ALIAS } from '../needs-you/need.ts';
import { needs } from '../needs-you/shown-needs.ts';
import { Icon } from '../parts/icon.tsx';
import { WindowedRows } from '../parts/windowed/windowed-rows.tsx';
import { PATHS } from '../routes.ts';
import { isUnread } from './read-mail.ts';

const SEARCH_FROM = 8;

type Row = { kind: 'everyone' | 'own' | 'other'; name: string } | { kind: 'agent'; name: string; agent: Agent };

const keyOf = ({ kind, name }: Row) => `${kind} ${name}`;

export function ConversationList({ messages }: { messages: readonly MessageRecord[] | null }) {
  const { messages: text } = words.value;
  const typed = useSignal('');
  const own = account.value?.user.username ?? '';
  const known = agents.value ?? [];
  const wanted = typed.value.trim().toLowerCase();
  const isWanted = (name: string) => name.toLowerCase().includes(wanted);
  const shown = known.filter(({ alias }) => isWanted(alias));
  const inboxes = agentsByAlias.value?.has(HUB_ALIAS) === true ? [own] : [own, HUB_ALIAS];
  const others = otherNames(messages ?? [], [...inboxes, ...known.map(({ alias }) => alias)]).filter(isWanted);
  const rows: Row[] = [
    ...(wanted === '' ? [{ kind: 'everyone' as const, name: '' }] : []),
    ...inboxes.filter(isWanted).map((name) => ({ kind: 'own' as const, name })),
    ...shown.map((agent) => ({ kind: 'agent' as const, name: agent.alias, agent })),
    ...others.map((name) => ({ kind: 'other' as const, name })),
  ];
  return (
    <nav class="conversation-list" aria-label={text.conversations}>
      {known.length + others.length > SEARCH_FROM && (
        <input
          class="search-input conversation-search"
          type="search"
          aria-label={text.findConversation}
          placeholder={text.findConversation}
          data-search
          autoComplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
      )}
      <WindowedRows tag="ul" rows={rows} keyOf={keyOf} render={(row) => <ListedConversation row={row} />} />
    </nav>
  );
}

function ListedConversation({ row }: { row: Row }) {
  const { messages: text, agents: agentWords, common } = words.value;
  const { query } = useAddress();
  const chosen = query['of'];
  if (row.kind === 'everyone') return <ConversationLink name={undefined} label={text.everyone} chosen={chosen} />;
  if (row.kind === 'agent') return <AgentLink agent={row.agent} chosen={chosen} inbox={agentWords.inbox} />;
  const side = row.name === account.value?.user.username ? common.you : undefined;
  const unread = row.kind === 'own' ? unreadMail(row.name) : 0;
  return <ConversationLink name={row.name} label={row.name} chosen={chosen} side={side} unread={unread} />;
}

function unreadMail(name: string): number {
  const mail = needs.value?.flatMap((need) => ('messages' in need ? need.messages : []));
  return mail?.filter((message) => message.alias === name && isUnread(message)).length ?? 0;
}

/** Senders and recipients that are not agents. */
function otherNames(messages: readonly MessageRecord[], known: readonly string[]): string[] {
  const names = new Set(messages.flatMap(({ alias, from_session }) => [alias, from_session]));
  return [...names].filter((name) => !known.includes(name)).sort();
}

function AgentLink({ agent, chosen, inbox }: { agent: Agent; chosen: string | undefined; inbox(n: number): string }) {
  const { alias, status, inbox_count = 0 } = agent;
  return (
    <li>
      <a
        class="conversation-link"
        href={withQuery(PATHS.messages, { of: alias })}
        aria-current={chosen === alias ? 'true' : undefined}
        data-status={status}
      >
        <span class="dot" title={words.value.agentStatus[status]} />
        <span class="conversation-name" dir="auto">
          {alias}
        </span>
        <Badge n={inbox_count} label={inbox(inbox_count)} />
      </a>
    </li>
  );
}

function Badge({ n, label }: { n: number; label: string }) {
  if (n === 0) return null;
  return (
    <span class="badge" title={label}>
      {shortCount(n)}
      <span class="visually-hidden">{label}</span>
    </span>
  );
}

type ConversationLinkProps = {
  name: string | undefined;
  label: string;
  side?: string | undefined;
  unread?: number;
  chosen: string | undefined;
};

function ConversationLink({ name, label, side, unread = 0, chosen }: ConversationLinkProps) {
  return (
    <li>
      <a
        class="conversation-link"
        href={withQuery(PATHS.messages, { of: name })}
        aria-current={chosen === name ? 'true' : undefined}
      >
        <Icon name={name === undefined ? 'message' : 'person'} />
        <span class="conversation-name" dir="auto">
          {label}
        </span>
        {side !== undefined && <span class="row-side">{side}</span>}
        <Badge
          n={unread}
          label={words.value.messages.unreadCount(unread).replace(String(unread), shortCount(unread))}
        />
      </a>
    </li>
  );
}
