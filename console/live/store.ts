// The state of the current network: agents, task counts and freshness. Records are replaced and never mutated, so that
// signals fire exactly when their data changes.
import { computed, signal } from '@preact/signals';
import { may, type NetworkRecord } from '../../server/domain/network.ts';
import type { SessionStatus } from '../../server/domain/session.ts';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import type { Agent, AgentCount, StatusCount } from './api.ts';
import type { LiveState } from './event-stream.ts';

export type TaskCounts = Partial<Record<TaskStatus, number>>;
export type AgentCounts = Partial<Record<SessionStatus, number>>;

/** Null until the first response, which is different from an empty list. */
export const agents = signal<readonly Agent[] | null>(null);
/** In a network with many agents only the first are loaded: those up to `last`. Further pages start at `next`. */
export const agentsBeyond = signal<{ last: string; next: string } | null>(null);
const agentSummary = signal<AgentCounts>({});
export const taskCounts = signal<TaskCounts | null>(null);
export const networks = signal<readonly NetworkRecord[]>([]);
export const liveState = signal<LiveState>({ state: 'connecting' });
/** The hub time of its last message. */
export const freshAt = signal<number | null>(null);
export const loadFailed = signal(false);

export const network = computed(() => networks.value.find((each) => each.network_id === account.value?.network_id));
export const mayWrite = computed(() => may(network.value?.member_role ?? 'owner', 'write'));
export const isStale = computed(
  () => freshAt.value !== null && liveState.value.state !== 'live' && liveState.value.state !== 'connecting',
);
/** Null until the agents are loaded. */
export const agentsByAlias = computed(() => agents.value && new Map(agents.value.map((agent) => [agent.alias, agent])));
/** The counts of all agents, loaded or not; null until they are known. */
export const agentCounts = computed(
  () => agents.value && (agentsBeyond.value === null ? countOf(agents.value) : agentSummary.value),
);
export const agentTotal = computed(() => agentCounts.value && total(Object.values(agentCounts.value)));
export const onlineCount = computed(() => (agentTotal.value ?? 0) - (agentCounts.value?.offline ?? 0));
export const taskTotal = computed(() => total(Object.values(taskCounts.value ?? {})));

function countOf(list: readonly Agent[]): AgentCounts {
  const counts: AgentCounts = {};
  for (const { status } of list) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

export function clearStore(): void {
  countsAskedAt = 0;
  agents.value = null;
  agentsBeyond.value = null;
  taskCounts.value = null;
  freshAt.value = null;
  loadFailed.value = false;
  liveState.value = { state: 'connecting' };
}

export function setAgents(list: readonly Agent[]): void {
  agents.value = list.toSorted(byAlias);
}

export function setAgentCounts(summary: readonly AgentCount[]): void {
  agentSummary.value = Object.fromEntries(summary.map(({ status, count }) => [status, count]));
}

/** The limit above which new agents are no longer kept. */
export const MAX_AGENTS = 4_000;

/**
 * Aliases and resume_ids are unique: the new record replaces any record that shares either. A record beyond the loaded
 * pages is ignored. Returns false when there are more agents than are kept.
 */
export function applyAgent(agent: Agent): boolean {
  const list = agents.value;
  if (list === null) return true;
  const at = list.findIndex((each) => each.alias === agent.alias && each.resume_id === agent.resume_id);
  // Avoids sorting hundreds of agents again when only one made progress.
  if (at >= 0) agents.value = list.with(at, agent);
  else if (agentsBeyond.value !== null && agent.alias > agentsBeyond.value.last) dropAgent(agent);
  else if (agentsBeyond.value === null && list.length >= MAX_AGENTS) return false;
  else setAgents([...list.filter((each) => !isSame(each, agent)), agent]);
  return true;
}

function dropAgent(agent: Agent): void {
  if (agents.value?.some((each) => isSame(each, agent)))
    agents.value = agents.value.filter((each) => !isSame(each, agent));
}

function isSame(one: Agent, other: Agent): boolean {
  return one.alias === other.alias || one.resume_id === other.resume_id;
}

export function applyInboxCount(alias: string, inbox_count: number): void {
  const known = agents.value?.find((each) => each.alias === alias);
  if (known !== undefined) applyAgent({ ...known, inbox_count });
}

const alphabetical = new Intl.Collator(undefined, { numeric: true });

function byAlias(one: Agent, other: Agent): number {
  return alphabetical.compare(one.alias, other.alias);
}

let countsAskedAt = 0;

/** Drops a response that a newer request overtook. `askedAt` is the time of the request. */
export function setCounts(stats: readonly StatusCount[], askedAt: number): void {
  if (askedAt < countsAskedAt) return;
  countsAskedAt = askedAt;
  taskCounts.value = Object.fromEntries(stats.map(({ status, count }) => [status, count]));
}

/** When both states of a transition are known, the counts update immediately. */
export function moveCount(from: TaskStatus, to: TaskStatus): void {
  if (from === to || taskCounts.value === null) return;
  const counts = taskCounts.value;
  taskCounts.value = { ...counts, [from]: Math.max(0, (counts[from] ?? 0) - 1), [to]: (counts[to] ?? 0) + 1 };
}
