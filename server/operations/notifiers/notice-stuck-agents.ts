// Finds agents that are stuck, and queues them for the notifiers that report it: once, until they make progress. What
// was notified is stored, so a restart does not repeat it. Without notifiers it reads nothing.
import { RESTART_GRACE_MS, STUCK_AFTER_MS } from '../../domain/limits.ts';
import { stuckSince } from '../../domain/stuck.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { Hub } from '../../hub.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import { findAgent } from '../../store/notifiers/needs.ts';
import * as store from '../../store/notifiers/stuck-agents.ts';
import { presenceAt } from '../sessions/presence.ts';
import { type Found, stuckNeed } from './found-needs.ts';
import { queueNeeds } from './queue-needs.ts';
import { type Subscriptions, subscriptionsByNetwork } from './subscriptions.ts';

/** Read at once with their last tasks, whose texts may be long. */
const AGENTS_AT_ONCE = 20;
const START: store.Place = { last_progress_at: -1, session_seq: 0 };

type StuckAgent = store.WorkingAgent & { since: number };

/** After a start, agents first get time to report what they did while the hub was down. */
export async function noticeStuckAgents(hub: Hub): Promise<{ needs: number }> {
  const subscriptions = await subscriptionsByNetwork(hub);
  if (hub.clock.now() < hub.awake.since + RESTART_GRACE_MS) return { needs: 0 };
  let needs = 0;
  for (const networkSeq of subscriptions.keys()) {
    if (hub.life.isStopping) break;
    needs += await noticeIn(hub, subscriptions, networkSeq);
  }
  return { needs };
}

async function noticeIn(hub: Hub, subscriptions: Subscriptions, networkSeq: number): Promise<number> {
  const networkId = subscriptions.get(networkSeq)?.[0]?.network_id ?? '';
  const stuck = await listStuck(hub, networkSeq, networkId);
  if (hub.life.isStopping) return 0; // the list may be incomplete
  const notified = await hub.store.read((reader) => store.listNotified(reader, networkSeq));
  const moments = new Map(notified.map(({ session_seq, last_progress_at }) => [session_seq, last_progress_at]));
  const fresh = stuck.filter((agent) => moments.get(agent.session_seq) !== agent.last_progress_at);
  const still = new Set(stuck.map(({ session_seq }) => session_seq));
  const progressed = notified.filter(({ session_seq }) => !still.has(session_seq));
  if (fresh.length + progressed.length === 0) return 0;
  return queueNeeds(hub, subscriptions, await needsOf(hub, networkSeq, fresh), async (tx) => {
    await store.markNotified(tx, fresh);
    await store.markProgressed(tx, progressed);
  });
}

async function needsOf(hub: Hub, networkSeq: number, stuck: readonly StuckAgent[]): Promise<Found[]> {
  const needs: Found[] = [];
  for (const { alias, since } of stuck) {
    const doing = await hub.store.read((reader) => findAgent(reader, networkSeq, alias));
    const agent = { network_seq: networkSeq, alias, at: since + STUCK_AFTER_MS };
    if (doing?.status === 'working') needs.push(stuckNeed(agent, doing));
  }
  return needs;
}

async function listStuck(hub: Hub, networkSeq: number, networkId: string): Promise<StuckAgent[]> {
  const all: StuckAgent[] = [];
  for (let after: store.Place | undefined = START; after !== undefined && !hub.life.isStopping; ) {
    const from: store.Place = after;
    const { stuck, next } = await hub.store.read((reader) => readStuck(hub, reader, { networkSeq, networkId, from }));
    all.push(...stuck);
    after = next;
  }
  return all;
}

type Portion = { networkSeq: number; networkId: string; from: store.Place };

async function readStuck(
  hub: Hub,
  reader: Reader,
  { networkSeq, networkId, from }: Portion,
): Promise<{ stuck: StuckAgent[]; next: store.Place | undefined }> {
  const page = { before: reader.now - STUCK_AFTER_MS, after: from, limit: AGENTS_AT_ONCE };
  const agents = await store.listUnprogressed(reader, networkSeq, page);
  const stuck: StuckAgent[] = [];
  for (const agent of agents) {
    if (isSilent(hub, networkId, agent, reader.now)) continue;
    const progress = await store.findTaskProgress(reader, networkSeq, agent.alias);
    const since = stuckSince(agent, progress, reader.now);
    if (since !== undefined) stuck.push({ ...agent, since });
  }
  return { stuck, next: agents.length < AGENTS_AT_ONCE ? undefined : agents.at(-1) };
}

/** Whether the agent is offline, even if that is not written yet. */
function isSilent(hub: Hub, networkId: string, { alias, last_seen_at }: store.WorkingAgent, now: Millis): boolean {
  const seenAt = Math.max(last_seen_at, hub.heartbeats.latest(networkId, alias, now) ?? 0);
  return seenAt < presenceAt(hub, now).cutoff;
}
