// Loads the data of the current network into the store and applies live events.
import { batch } from '@preact/signals';
import type { ChangeData } from '../../server/domain/changes.ts';
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { account } from '../account/account.ts';
import { announceAgent, announceTask } from '../frame/announcements.ts';
import { select } from '../tasks/bulk/selection.ts';
import { applyToLists, forgetLists, reloadLists } from '../tasks/list/recent-lists.ts';
import {
  type Agent,
  type AgentCount,
  listAgents,
  listNetworks,
  listTasks,
  type NetworkPage,
  type TaskPage,
} from './api.ts';
import { emitChange } from './changes.ts';
import { hubTime, setHubTime } from './clock.ts';
import { loadPages, type Portion } from './listing.ts';
import { dropWaiting, emitLiveEvent, type LiveEvent, onLiveEvent, whileHoldingEvents } from './live-events.ts';
import type { StreamEvent } from './sse-parser.ts';
import * as store from './store.ts';
import { forgetTasks, markPoolComplete, poolSize, rememberTasks, taskKnown } from './task-pool.ts';

const RECOUNT_MS = 1_000;
const MAX_PRELOADED = 1_000;

let recounting: ReturnType<typeof setTimeout> | undefined;
let recountingAgents: ReturnType<typeof setTimeout> | undefined;
let filled: string | undefined;

onLiveEvent(apply);

/** On failure the store keeps its data and records the error. Outdated responses are dropped. */
export async function loadNetwork(): Promise<void> {
  const [wanted, asked] = [view(), performance.now()];
  try {
    const [agents, { stats = [] }] = await whileHoldingEvents(
      Promise.all([loadAgentPages(undefined), counts(), reloadLists()]),
    );
    if (wanted !== view()) return;
    batch(() => {
      takeAgents(agents, []);
      store.setCounts(stats, asked);
      store.freshAt.value = hubTime();
      store.loadFailed.value = false;
    });
  } catch {
    if (wanted === view()) store.loadFailed.value = true;
  }
}

type AgentPortion = Portion<Agent> & { summary: readonly AgentCount[] };

/** A network with many thousands of agents loads in part, with the counts of all agents. */
async function loadAgentPages(cursor: string | undefined): Promise<AgentPortion> {
  let counted: readonly AgentCount[] = [];
  const portion = await loadPages<Agent>(cursor, async (page) => {
    const {
      sessions,
      summary = counted,
      next_cursor,
    } = await listAgents({ network_id: account.value?.network_id, with_summary: 'true', ...page });
    counted = summary;
    return { rows: sessions, next: next_cursor };
  });
  return { ...portion, summary: counted };
}

function takeAgents({ rows, next, summary }: AgentPortion, before: readonly Agent[]): void {
  const fresh = new Set(rows.map(({ alias }) => alias));
  const last = rows.at(-1)?.alias;
  store.agentsBeyond.value = next === undefined || last === undefined ? null : { last, next };
  store.setAgentCounts(summary);
  store.setAgents([...before.filter(({ alias }) => !fresh.has(alias)), ...rows]);
}

/** Reads the agents again. Those of a partly loaded network stay as they are. */
export async function refreshAgents(): Promise<void> {
  const wanted = view();
  if (store.agents.value === null || store.agentsBeyond.value !== null) return;
  const portion = await whileHoldingEvents(loadAgentPages(undefined)).catch(() => undefined);
  if (portion !== undefined && wanted === view()) batch(() => takeAgents(portion, []));
}

/** Loads the next agents of a partly loaded network. */
export async function loadMoreAgents(): Promise<void> {
  const [wanted, beyond] = [view(), store.agentsBeyond.value];
  if (beyond === null) return;
  const more = await whileHoldingEvents(loadAgentPages(beyond.next)).catch(() => undefined);
  if (more === undefined || wanted !== view() || store.agentsBeyond.value !== beyond) return;
  batch(() => takeAgents(more, store.agents.value ?? []));
}

function counts(): Promise<TaskPage> {
  return listTasks({ network_id: account.value?.network_id, limit: 1, outline: 'true' });
}

export async function loadNetworks(): Promise<void> {
  store.networks.value = (await loadNetworkPages(undefined)).rows;
}

export function loadNetworkPages(cursor: string | undefined): Promise<Portion<NetworkPage['networks'][number]>> {
  return loadPages(cursor, async (page) => {
    const { networks, next_cursor } = await listNetworks(page);
    return { rows: networks, next: next_cursor };
  });
}

/** Loads further pages while the browser is idle, so that filters show first results at once. */
export async function readAhead(): Promise<void> {
  const wanted = view();
  if (filled === wanted) return;
  filled = wanted;
  let cursor: string | undefined;
  do {
    await idle();
    const page = await whileHoldingEvents(
      listTasks({ network_id: account.value?.network_id, limit: MAX_REST_LIMIT, cursor, outline: 'true' }),
    ).catch(() => undefined);
    if (page === undefined || wanted !== view()) return;
    rememberTasks(page.tasks);
    cursor = page.next_cursor;
  } while (cursor !== undefined && poolSize() < MAX_PRELOADED);
  if (cursor === undefined) markPoolComplete();
}

function idle(): Promise<void> {
  return new Promise((resolve) =>
    'requestIdleCallback' in window
      ? requestIdleCallback(() => resolve(), { timeout: 1_000 })
      : setTimeout(resolve, 100),
  );
}

/** The network being watched. Responses for another network are dropped. */
function view(): string {
  return `${account.value?.token} ${account.value?.network_id}`;
}

/** Clears the store for another network or after sign-out. */
export function forgetNetwork(): void {
  dropWaiting();
  clearTimeout(recounting);
  clearTimeout(recountingAgents);
  recounting = undefined;
  recountingAgents = undefined;
  filled = undefined;
  forgetLists();
  forgetTasks();
  select([]);
  store.clearStore();
}

/** Applies one event from the stream of the network. */
export function receive({ type, data }: StreamEvent): void {
  store.freshAt.value = hubTime();
  if (type === 'heartbeat') return setHubTime(Date.parse(parsed<{ time: string }>(data)?.time ?? ''));
  if (type === 'resync') return void loadNetwork();
  if (type === 'changed') {
    const change = parsed<ChangeData>(data);
    if (change?.what === 'agents') loadOnce(); // a forgotten one has no event
    return emitChange(change);
  }
  const event = parsed<LiveEvent>(data);
  if (event !== undefined) emitLiveEvent(whole(event));
}

/** An outline contains only the start of long texts. The rest of the text did not change. */
function whole(event: LiveEvent): LiveEvent {
  if (event.type !== 'task' || event.is_outline !== true) return event;
  const known = taskKnown(event.task_id);
  if (known === undefined || known.is_outline === true) return event;
  const { is_outline: _, ...changed } = event;
  return { ...changed, content: known.content, ...(known.context !== undefined && { context: known.context }) };
}

function parsed<Data>(text: string): Data | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function apply(event: LiveEvent): void {
  if (event.type === 'session') {
    announceAgent(event);
    if (!store.applyAgent(event)) loadOnce();
    if (store.agentsBeyond.value !== null) recountAgents();
  }
  if (event.type === 'task') {
    announceTask(event);
    const before = taskKnown(event.task_id);
    rememberTasks([event]);
    applyToLists(event, before);
    if (before !== undefined) store.moveCount(before.status, event.status);
    recount();
  }
  if (event.type === 'new_task' && event.alias !== undefined) store.applyInboxCount(event.alias, event.inbox_count);
}

let loading: Promise<void> | undefined;

/** More agents have arrived than are kept. From now on the network is partly loaded. */
function loadOnce(): void {
  loading ??= loadNetwork().finally(() => (loading = undefined));
}

/** Only the hub knows the counts of agents that are not loaded. Reloads them at most once per second. */
function recountAgents(): void {
  recountingAgents ??= setTimeout(() => {
    recountingAgents = undefined;
    const wanted = view();
    listAgents({ network_id: account.value?.network_id, with_summary: 'true', limit: 1 }).then(
      ({ summary = [] }) => wanted === view() && store.setAgentCounts(summary),
      () => {},
    );
  }, RECOUNT_MS);
}

/**
 * Reloads the counts from the hub, at most once per second. Only the hub knows whether a count already includes a
 * change.
 */
function recount(): void {
  recounting ??= setTimeout(() => {
    recounting = undefined;
    const [wanted, asked] = [view(), performance.now()];
    counts().then(
      (page) => wanted === view() && store.setCounts(page.stats ?? [], asked),
      () => {},
    );
  }, RECOUNT_MS);
}
