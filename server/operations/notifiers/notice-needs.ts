// Finds what needs a person, and queues it for the notifiers that report it. It reads the stored events from a stored
// position, so a restart loses nothing and sends do no extra work. Without notifiers it reads nothing.
import { EXPIRING_MS } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as store from '../../store/notifiers/needs.ts';
import { hasTaskSinceSeen } from '../../store/notifiers/stuck-agents.ts';
import * as found from './found-needs.ts';
import { queueNeeds } from './queue-needs.ts';
import { EVENTS_READER, EXPIRING_READER, forgetUnusedReaders, unfetchedMinutes } from './readers.ts';
import { only, type Subscriptions, subscriptionsByNetwork, wants } from './subscriptions.ts';

const EVENTS_AT_ONCE = 500;
/** The position after a page without needs is stored only once this many events were read. */
const UNSTORED_EVENTS = 5_000;
const TASKS_AT_ONCE = 100;
/** An agent that waits for input usually sends its question at the same time: before or after its status. */
const QUESTION_MS = 3 * SECOND_MS;
const ASKED_MS = MINUTE_MS;

/** What a page of a reader contains. */
type Noticed = {
  needs: readonly found.Found[];
  halted: readonly store.HaltedAgent[];
  well: readonly store.HaltedAgent[];
};
type Page = Noticed & { position: number };

const NOTHING: Noticed = { needs: [], halted: [], well: [] };

/** Queues agents that need input, are blocked, report an error or were lost, mail, and failed tasks. */
export async function noticeNeeds(hub: Hub): Promise<{ needs: number }> {
  const subscriptions = await subscriptionsByNetwork(hub);
  if (subscriptions.size > 0) return { needs: await follow(hub, subscriptions, EVENTS_READER, readEvents(hub)) };
  await forgetUnusedReaders(hub, []);
  return { needs: 0 };
}

/** Queues tasks that no agent has fetched for some minutes, and tasks about to expire. */
export async function noticeWaitingTasks(hub: Hub): Promise<{ needs: number }> {
  const subscriptions = await subscriptionsByNetwork(hub);
  const all = [...subscriptions.values()].flat();
  await forgetUnusedReaders(hub, all);
  let needs = 0;
  for (const [name, minutes] of unfetchedMinutes(all)) {
    const wanting = only(subscriptions, (each) => each.unfetched_minutes === minutes);
    needs += await follow(hub, wanting, name, (reader, range) => readUnfetched(reader, range, minutes));
  }
  return { needs: needs + (await noticeExpiring(hub, only(subscriptions, wants('expiring')))) };
}

/** Reads a page; `position` is where it ends, or undefined if there is nothing to read. */
type ReadPage = (reader: Reader, range: PageRange) => Promise<Page | undefined>;
type PageRange = { after: number; networks: string };

/** Reads on from the position of a reader, and queues what it finds before it stores the new position. */
async function follow(hub: Hub, subscriptions: Subscriptions, name: string, readPage: ReadPage): Promise<number> {
  const networks = JSON.stringify([...subscriptions.keys()]);
  let stored = await hub.store.read((reader) => store.findPosition(reader, name));
  if (stored === undefined) return start(hub, name);
  let after = Math.max(stored, hub.notifiers.positions.get(name) ?? 0);
  let total = 0;
  while (!hub.life.isStopping) {
    const from = after;
    const page = await hub.store.read((reader) => readPage(reader, { after: from, networks }));
    if (page === undefined) break;
    after = page.position;
    if (!isEmpty(page) || after - stored >= UNSTORED_EVENTS) {
      total += await queueNeeds(hub, subscriptions, page.needs, (tx) => finishPage(tx, name, page));
      stored = after;
    }
    hub.notifiers.positions.set(name, after);
  }
  return total;
}

function isEmpty({ needs, halted, well }: Noticed): boolean {
  return needs.length + halted.length + well.length === 0;
}

/** A new reader does not report earlier events. */
async function start(hub: Hub, name: string): Promise<number> {
  await hub.store.write((tx) => store.startAtLatest(tx, name));
  return 0;
}

async function finishPage(tx: Transaction, name: string, { halted, well, position }: Page): Promise<void> {
  for (const agent of halted) await store.markHalted(tx, agent);
  for (const agent of well) await store.markWell(tx, agent);
  await store.setPosition(tx, name, position);
}

function readEvents({ notifiers }: Hub): ReadPage {
  return async (reader, { after, networks }) => {
    const latest = { after, upTo: Math.min(after + EVENTS_AT_ONCE, await store.latestEvent(reader)), networks };
    const range = { ...latest, upTo: await store.endBeforeWaiting(reader, latest, reader.now - QUESTION_MS) };
    if (range.upTo <= after) return undefined;
    const mail = await store.listMail(reader, range);
    noteQuestions(notifiers, mail, reader.now);
    const agents = await readAgents(reader, range, notifiers);
    const asked = (await store.listAsked(reader, range)).map(found.askedNeed);
    const failed = (await store.listFailed(reader, range)).map(found.failedNeed);
    const needs = [...agents.needs, ...mail.map(found.mailNeed), ...asked, ...failed];
    return { ...agents, needs, position: range.upTo };
  };
}

/** Remembers who has asked, so that an agent which then waits for input notifies once. */
function noteQuestions({ asked }: Hub['notifiers'], mail: readonly store.Mail[], now: Millis): void {
  for (const [key, { at }] of asked) if (at < now - ASKED_MS) asked.delete(key);
  for (const { network_seq, from_name, type, alias, at } of mail)
    if (type === 'message') asked.set(keyOf({ network_seq, alias: from_name }), { at, alias });
}

/** An agent is reported once for each status. After it has recovered, it is reported again; silence is no recovery. */
async function readAgents(reader: Reader, range: store.Range, { asked }: Hub['notifiers']): Promise<Noticed> {
  const agents = await store.listStatuses(reader, range);
  const known = new Map((await store.listHalted(reader, agents)).map((agent) => [keyOf(agent), agent.status]));
  const halted = agents.filter(found.isHalted).filter((agent) => known.get(keyOf(agent)) !== agent.status);
  const well = agents.filter((agent) => !found.isHalted(agent) && known.has(keyOf(agent)));
  const needs: found.Found[] = [];
  for (const agent of halted) {
    const doing = await store.findAgent(reader, agent.network_seq, agent.alias);
    const question = agent.status === 'waiting_input' ? asked.get(keyOf(agent))?.alias : undefined;
    if (doing?.reported === agent.status) needs.push(found.agentNeed(agent, doing, question));
  }
  const lost = agents.filter(({ is_lost }) => is_lost === 1);
  return { needs: [...needs, ...(await readLost(reader, lost))], halted, well };
}

/** Running tasks of a lost agent are reported as abandoned. */
async function readLost(reader: Reader, lost: readonly store.AgentStatus[]): Promise<found.Found[]> {
  const needs: found.Found[] = [];
  for (const agent of lost) {
    const { network_seq, alias } = agent;
    const doing = await store.findAgent(reader, network_seq, alias);
    const isLost = doing?.status === 'offline' && doing.reported === 'working';
    if (isLost && !(await hasTaskSinceSeen(reader, network_seq, alias))) needs.push(found.lostNeed(agent, doing));
  }
  return needs;
}

function keyOf({ network_seq, alias }: Omit<store.HaltedAgent, 'status'>): string {
  return `${network_seq} ${alias}`;
}

async function readUnfetched(
  reader: Reader,
  { after, networks }: PageRange,
  minutes: number,
): Promise<Page | undefined> {
  const upTo = await store.findEventBefore(reader, after, reader.now - minutes * MINUTE_MS, EVENTS_AT_ONCE);
  if (upTo === undefined) return undefined;
  const tasks = await store.listUnfetched(reader, { after, upTo, networks });
  const needs = tasks.map((task) => ({ ...found.unfetchedNeed(task, minutes), at: task.at + minutes * MINUTE_MS }));
  return { ...NOTHING, needs, position: upTo };
}

async function noticeExpiring(hub: Hub, subscriptions: Subscriptions): Promise<number> {
  if (subscriptions.size === 0) return 0;
  const now = hub.clock.now();
  const since = (await hub.store.read((reader) => store.findPosition(reader, EXPIRING_READER))) ?? now - EXPIRING_MS;
  let total = 0;
  for (const networkSeq of subscriptions.keys()) {
    const tasks = await hub.store.read((reader) => store.listExpiring(reader, networkSeq, since, TASKS_AT_ONCE));
    if (tasks.length > 0) total += await queueNeeds(hub, subscriptions, tasks.map(found.expiringNeed), async () => {});
  }
  await hub.store.write((tx) => store.setPosition(tx, EXPIRING_READER, now));
  return total;
}
