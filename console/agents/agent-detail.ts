// Loads one agent and keeps it current while its page is open: full record, inbox and completions.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { account } from '../account/account.ts';
import {
  type AgentRecord,
  type CompletionPage,
  type CompletionRecord,
  listCompletions,
  listMessages,
  type MessageRecord,
  type ShownAgent,
  showAgent,
} from '../live/api.ts';
import { type LiveEvent, onLiveEvent, whileHoldingEvents } from '../live/live-events.ts';
import { RequestError } from '../live/request.ts';

export type AgentDetail = {
  agent: Signal<AgentRecord | null>;
  pending: Signal<number>;
  /** The newest pending messages. */
  inbox: Signal<readonly MessageRecord[] | null>;
  /** The newest messages, including acknowledged ones. */
  messages: Signal<readonly MessageRecord[] | null>;
  /** The newest messages that it sent. */
  sent: Signal<readonly MessageRecord[]>;
  completions: Signal<readonly CompletionRecord[] | null>;
  /** Loads more of them; undefined when all are loaded. */
  moreCompletions: Signal<(() => void) | undefined>;
  problem: Signal<'unknown' | 'failed' | null>;
  load(): Promise<void>;
};

const INBOX = 50;
const MESSAGES = 60;
const COMPLETIONS = 10;
/** Agents can report often. The page reloads the full record at most this often. */
const MIN_INTERVAL_MS = 1_000;

export function useAgentDetail(alias: string): AgentDetail {
  const agent = useSignal<AgentRecord | null>(null);
  const pending = useSignal(0);
  const inbox = useSignal<readonly MessageRecord[] | null>(null);
  const messages = useSignal<readonly MessageRecord[] | null>(null);
  const sent = useSignal<readonly MessageRecord[]>([]);
  const completions = useSignal<readonly CompletionRecord[] | null>(null);
  const moreCompletions = useSignal<(() => void) | undefined>(undefined);
  const asked = useRef(COMPLETIONS);
  const problem = useSignal<'unknown' | 'failed' | null>(null);

  async function load(): Promise<void> {
    const query = { network_id: account.value?.network_id };
    await Promise.all([
      whileHoldingEvents(showAgent(alias, query)).then(
        takeAgent,
        (error: unknown) =>
          (problem.value = error instanceof RequestError && error.status === 404 ? 'unknown' : 'failed'),
      ),
      listMessages({ ...query, alias, pending: 'true', limit: INBOX }).then(
        (page) => (inbox.value = page.messages),
        () => {},
      ),
      listMessages({ ...query, alias, limit: MESSAGES }).then(
        (page) => (messages.value = page.messages),
        () => {},
      ),
      listMessages({ ...query, from_session: alias, without_tasks: 'true', limit: MESSAGES }).then(
        (page) => (sent.value = page.messages),
        () => {},
      ),
      listCompletions({ ...query, alias, limit: asked.current }).then(takeCompletions, () => {}),
    ]);
  }

  function takeAgent({ session, inbox_pending }: ShownAgent): void {
    agent.value = session;
    pending.value = inbox_pending;
    problem.value = null;
  }

  function takeCompletions(page: CompletionPage): void {
    completions.value = page.completions;
    const hasMore = page.next_cursor !== undefined && asked.current < MAX_REST_LIMIT;
    moreCompletions.value = hasMore ? loadMoreCompletions : undefined;
  }

  function loadMoreCompletions(): void {
    asked.current = Math.min(MAX_REST_LIMIT, asked.current * 3);
    void load();
  }

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reload = () => {
      timer = undefined;
      void load();
    };
    void load();
    const end = onLiveEvent((event) => {
      if (!concerns(event, alias)) return;
      // The summary on the stream is newer than the record. Fields that only the record has keep their value until it
      // is reloaded.
      if (event.type === 'session' && agent.value !== null) agent.value = { ...agent.value, ...event };
      timer ??= setTimeout(reload, MIN_INTERVAL_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [alias]);

  return { agent, pending, inbox, messages, sent, completions, moreCompletions, problem, load };
}

function concerns(event: LiveEvent, alias: string): boolean {
  if ('from' in event && event.from === alias) return true;
  return event.alias === alias || (event.type === 'task' && event.to_name === alias);
}
