// Enforces the quotas. Each is checked inside the transaction that uses it, before anything is written, so it is exact
// under concurrency and a refusal costs no write.
import type { Caller, Visitor } from '../domain/accounts/caller.ts';
import { tooManyAMinute } from '../domain/errors.ts';
import { NODE_ATTRIBUTES, type NodeAttribute } from '../domain/node.ts';
import { assertBelow, exceeded, isUsedUp, QUOTAS } from '../domain/quotas.ts';
import type { Hub } from '../hub.ts';
import type { Transaction } from '../store/engine/transaction.ts';
import * as invites from '../store/invites.ts';
import * as networks from '../store/networks.ts';
import * as nodes from '../store/nodes.ts';
import * as sessions from '../store/sessions.ts';
import * as tokens from '../store/tokens.ts';

/** Counts a call against the rates of its token. */
export function assertRate(hub: Hub, asking: Caller | Visitor, operation: string): void {
  if (!('token_id' in asking)) return;
  takeRate(hub, 'max_requests_per_minute', asking.token_id);
  if (operation === 'broadcast') takeRate(hub, 'max_broadcasts_per_minute', asking.token_id);
}

function takeRate(
  { settings, rates, clock }: Hub,
  name: 'max_requests_per_minute' | 'max_broadcasts_per_minute',
  tokenId: string,
): void {
  const max = settings[name];
  if (max === 0) return;
  const seconds = rates.take(`${name} ${tokenId}`, max, clock.now());
  if (seconds !== undefined) throw tooManyAMinute(QUOTAS[name].what, max, name, seconds);
}

export async function assertMayOwnNetwork({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  if (settings.max_networks === 0) return;
  assertBelow(settings, 'max_networks', await networks.countOwned(tx, userId, settings.max_networks));
}

/** Removes used and expired invites once there are as many of them as may be open. */
export async function makeRoomForInvite({ settings }: Hub, tx: Transaction, networkId: string): Promise<void> {
  const { max_invites: max } = settings;
  if (max === 0 || (await invites.count(tx, networkId, max)) < max) return;
  assertBelow(settings, 'max_invites', await invites.countOpen(tx, networkId, max));
  if ((await invites.count(tx, networkId, 2 * max)) >= 2 * max) await invites.removeOver(tx, networkId);
}

/** Tokens that are over make room. */
export async function makeRoomForToken({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  const { max_tokens: max } = settings;
  if (max === 0 || (await tokens.countOfUser(tx, userId, max)) < max) return;
  if ((await tokens.countLive(tx, userId)) >= max) throw exceeded(settings, 'max_tokens');
  await tokens.removeOver(tx, userId);
}

/**
 * Joining never fails for the token quota, and ends no sign-in: tokens that are over make room, else the new one is
 * beyond the quota. Leaving removes the tokens of a network, so a user has at most one such token for each network they
 * joined.
 */
export async function makeRoomForMember({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  const { max_tokens: max } = settings;
  if (max === 0 || (await tokens.countOfUser(tx, userId, max)) < max) return;
  await tokens.removeOver(tx, userId);
}

/** A login never fails for its quota: tokens that are over make room, else the sign-in that was unused for longest. */
export async function makeRoomForSignIn(hub: Hub, tx: Transaction, userId: string): Promise<void> {
  const { max_tokens: max } = hub.settings;
  if (max === 0 || (await tokens.countOfUser(tx, userId, max)) < max) return;
  const over = await tokens.removeOver(tx, userId);
  const removed = over.length > 0 ? over : await tokens.removeLongestUnusedSignIn(tx, userId);
  tx.afterCommit(() => removed.forEach(({ token_id }) => hub.revocations.announce({ token_id })));
}

/** The session that has been offline for longest makes room for a new one. */
export async function makeRoomForSession({ settings }: Hub, tx: Transaction, networkId: string): Promise<void> {
  if (settings.max_sessions === 0 || !isUsedUp(settings, 'max_sessions', await sessions.count(tx, networkId))) return;
  const offline = await sessions.findLongestOffline(tx, networkId);
  if (offline === undefined) throw exceeded(settings, 'max_sessions');
  await sessions.remove(tx, offline);
}

type NodeAttributes = Partial<Record<NodeAttribute, string | undefined>>;

/** Counts a node if the network does not know it yet. */
export async function takeNode(
  hub: Hub,
  tx: Transaction,
  networkId: string,
  nodeId: string,
  attributes: NodeAttributes,
): Promise<void> {
  const { settings, nodeCounts } = hub;
  if (await nodes.isKnown(tx, networkId, nodeId)) return;
  const count = nodeCounts.of(networkId) ?? (await nodes.count(tx, networkId));
  assertBelow(settings, 'max_nodes', count);
  takeBytes(hub, tx, networkId, 1, nodeId, ...NODE_ATTRIBUTES.map((name) => attributes[name]));
  nodeCounts.set(networkId, count + 1);
  tx.onRollback(() => nodeCounts.forget(networkId));
}

/** A rename moves all pending messages to the new alias. */
export function assertInboxHasRoomFor(
  { settings }: Hub,
  tx: Transaction,
  networkId: string,
  { from, to }: { from: string; to: string },
): void {
  const moving = tx.arrivals.pending(networkId, from);
  if (moving > 0) assertBelow(settings, 'max_pending_messages', tx.arrivals.pending(networkId, to) + moving - 1);
}

/** Not for replies to a task's sender, completions and cancellations, which are always delivered. */
export function assertInboxHasRoom({ settings }: Hub, tx: Transaction, networkId: string, alias: string): void {
  if (settings.max_pending_messages === 0) return;
  assertBelow(settings, 'max_pending_messages', tx.arrivals.pending(networkId, alias));
}

type Texts = readonly (string | undefined)[];

/** Counts texts, stored `copies` times; throws if the network has no room for them. */
export function takeBytes(
  { settings, networkBytes }: Hub,
  tx: Transaction,
  networkId: string,
  copies: number,
  ...texts: Texts
): void {
  if (settings.max_network_bytes === 0) return;
  const bytes = copies * sizeOf(texts);
  if (networkBytes.of(networkId) + bytes > settings.max_network_bytes) throw exceeded(settings, 'max_network_bytes');
  tx.onRollback(networkBytes.add(networkId, bytes));
}

/** Counts texts that are stored even if the quota is used up, because they end a task. */
export function countBytes({ settings, networkBytes }: Hub, tx: Transaction, networkId: string, ...texts: Texts): void {
  if (settings.max_network_bytes > 0) tx.onRollback(networkBytes.add(networkId, sizeOf(texts)));
}

function sizeOf(texts: Texts): number {
  return texts.reduce((sum, text = '') => sum + Buffer.byteLength(text), 0);
}
