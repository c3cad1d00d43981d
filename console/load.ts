// Brings what the hub knows into the store, and takes what its stream tells.
import { batch } from '@preact/signals';
import { account } from './account.ts';
import { type Agent, listAgents, listNetworks, listTasks, type TaskPage } from './api.ts';
import { announceAgent, announceTask } from './announcements.ts';
import { hubTime, setHubTime } from './clock.ts';
import type { StreamEvent } from './event-stream.ts';
import { dropWaiting, follow, type Happening, holding, tell } from './feed.ts';
import { select } from './selection.ts';
import * as store from './store.ts';
import { applyToLists, forgetLists, reloadLists } from './task-lists.ts';
import { allAreKnown, forgetTasks, poolSize, rememberTasks, taskKnown } from './task-pool.ts';

const RECOUNT_MS = 1_000;
const FILL_PAGE = 500;
const FILL_MOST = 10_000;

let recounting: ReturnType<typeof setTimeout> | undefined;
let filled: string | undefined;

follow(apply);

/** What could not be had leaves what was there, and says so; what nobody waits for any more is dropped. */
export async function loadNetwork(): Promise<void> {
  const [wanted, asked] = [view(), performance.now()];
  try {
    const [agents, { stats = [] }] = await holding(Promise.all([allAgents(), counts(), reloadLists()]));
    if (wanted !== view()) return;
    batch(() => {
      store.setAgents(agents);
      store.setCounts(stats, asked);
      store.freshAt.value = hubTime();
      store.loadFailed.value = false;
    });
  } catch {
    if (wanted === view()) store.loadFailed.value = true;
  }
}

async function allAgents(): Promise<Agent[]> {
  const agents: Agent[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAgents({ network_id: account.value?.network_id, cursor });
    agents.push(...page.sessions);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return agents;
}

function counts(): Promise<TaskPage> {
  return listTasks({ network_id: account.value?.network_id, limit: 1 });
}

export async function loadNetworks(): Promise<void> {
  store.networks.value = (await listNetworks()).networks;
}

/** Reads ahead, page after page while the browser is idle, so that filters find what they ask for already here. */
export async function readAhead(): Promise<void> {
  const wanted = view();
  if (filled === wanted) return;
  filled = wanted;
  let cursor: string | undefined;
  do {
    await idle();
    const page = await holding(listTasks({ network_id: account.value?.network_id, limit: FILL_PAGE, cursor })).catch(() => undefined);
    if (page === undefined || wanted !== view()) return;
    rememberTasks(page.tasks);
    cursor = page.next_cursor;
  } while (cursor !== undefined && poolSize() < FILL_MOST);
  if (cursor === undefined) allAreKnown();
}

function idle(): Promise<void> {
  return new Promise((resolve) => ('requestIdleCallback' in window ? requestIdleCallback(() => resolve(), { timeout: 1_000 }) : setTimeout(resolve, 100)));
}

/** Whose network is watched; an answer for another one comes too late. */
function view(): string {
  return `${account.value?.token} ${account.value?.network_id}`;
}

/** Another network, or nobody: what was known is of no use. */
export function forgetNetwork(): void {
  dropWaiting();
  clearTimeout(recounting);
  recounting = undefined;
  filled = undefined;
  forgetLists();
  forgetTasks();
  select([]);
  store.clearStore();
}

/** Takes one event of the network's stream. */
export function receive(event: StreamEvent): void {
  store.freshAt.value = hubTime();
  if (event.type === 'heartbeat') return setHubTime(Date.parse(parsed<{ time: string }>(event.data)?.time ?? ''));
  if (event.type === 'resync') return void loadNetwork();
  const happening = parsed<Happening>(event.data);
  if (happening !== undefined) tell(happening);
}

function parsed<Data>(text: string): Data | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function apply(happening: Happening): void {
  if (happening.type === 'session') {
    announceAgent(happening);
    store.applyAgent(happening);
  }
  if (happening.type === 'task') {
    announceTask(happening);
    const before = taskKnown(happening.task_id);
    rememberTasks([happening]);
    applyToLists(happening, before);
    if (before !== undefined) store.moveCount(before.status, happening.status);
    recount();
  }
  if (happening.type === 'new_task' && happening.alias !== undefined) store.applyInboxCount(happening.alias, happening.inbox_count);
}

/** The hub has the last word: whether a count has a move in it already, only the hub knows. At most once a second. */
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
