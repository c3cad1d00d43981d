// Brings the hub's lists into the store. Events that arrive while a list is under way wait for it, since the list may be
// older than they are; they are whole records, so applying one twice changes nothing.
import { batch } from '@preact/signals';
import type { EventData } from '../server/domain/events.ts';
import type { TaskStatus } from '../server/domain/task.ts';
import { account } from './account.ts';
import { type Agent, listAgents, listNetworks, listTasks } from './api.ts';
import { announceAgent, announceTask } from './announcements.ts';
import { hubTime, setHubTime } from './clock.ts';
import type { StreamEvent } from './event-stream.ts';
import * as store from './store.ts';

const PAGE = 100;
const RECOUNT_MS = 500;

/** On the stream of a whole network every event for an agent names it. */
type Addressed = EventData & { alias?: string };

let held: Addressed[] = [];
let loads = 0;
let recounting: ReturnType<typeof setTimeout> | undefined;

export function loadNetwork(): Promise<void> {
  return load(() => Promise.all([allAgents(), firstTasks()]), ([agents, page]) => {
    store.setAgents(agents);
    store.setTasks(page);
    store.freshAt.value = hubTime();
  });
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

function firstTasks(cursor?: string) {
  return listTasks({ network_id: account.value?.network_id, status: store.shownStatus.value, limit: PAGE, cursor });
}

/** Shows what is already here of that status at once, then the hub's own list of it. */
export async function showTasks(status: TaskStatus | undefined): Promise<void> {
  if (store.shownStatus.value === status) return;
  const here = store.tasks.value?.filter((task) => task.status === status) ?? [];
  batch(() => {
    store.shownStatus.value = status;
    store.tasks.value = here.length > 0 ? here : null;
    store.olderTasks.value = undefined;
  });
  await load(() => firstTasks(), store.setTasks);
}

export async function loadOlderTasks(): Promise<void> {
  const cursor = store.olderTasks.value;
  if (cursor !== undefined) await load(() => firstTasks(cursor), store.addOlderTasks);
}

export async function loadNetworks(): Promise<void> {
  store.networks.value = (await listNetworks()).networks;
}

/** What could not be had leaves what was there, and says so; what nobody waits for any more is dropped. */
async function load<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): Promise<void> {
  const wanted = view();
  loads += 1;
  try {
    const answer = await ask();
    if (wanted === view()) batch(() => (take(answer), (store.loadFailed.value = false)));
  } catch {
    if (wanted === view()) store.loadFailed.value = true;
  } finally {
    loads -= 1;
    if (loads === 0) release();
  }
}

/** What the person is looking at; an answer for another view comes too late. */
function view(): string {
  return [account.value?.token, account.value?.network_id, store.shownStatus.value].join(' ');
}

function release(): void {
  const waiting = held;
  held = [];
  batch(() => waiting.forEach(apply));
}

export function dropHeld(): void {
  held = [];
  clearTimeout(recounting);
  recounting = undefined;
}

/** Takes one event of the network's stream. */
export function receive(event: StreamEvent): void {
  store.freshAt.value = hubTime();
  if (event.type === 'heartbeat') return setHubTime(Date.parse(parsed<{ time: string }>(event.data)?.time ?? ''));
  if (event.type === 'resync') return void loadNetwork();
  const data = parsed<Addressed>(event.data);
  if (data === undefined) return;
  if (loads > 0) held.push(data);
  else batch(() => apply(data));
}

function parsed<Data>(text: string): Data | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function apply(data: Addressed): void {
  if (data.type === 'session') {
    announceAgent(data);
    store.applyAgent(data);
  }
  if (data.type === 'task') {
    announceTask(data);
    if (!store.applyTask(data)) recount();
  }
  if (data.type === 'new_task' && data.alias !== undefined) store.applyInboxCount(data.alias, data.inbox_count);
}

/** At most twice a second, however many tasks arrive. */
function recount(): void {
  recounting ??= setTimeout(() => {
    recounting = undefined;
    const wanted = view();
    listTasks({ network_id: account.value?.network_id, limit: 1 }).then(
      (page) => wanted === view() && store.setCounts(page.stats ?? []),
      () => {},
    );
  }, RECOUNT_MS);
}
