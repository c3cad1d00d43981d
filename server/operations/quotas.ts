// Enforces the quotas. Each is checked inside the transaction that uses it, before any write, so it is exact under
// concurrency and a refusal costs no write.
import type { Caller, Visitor } from '../domain/accounts/caller.ts';
import { tooManyAMinute } from '../domain/errors.ts';
import { NODE_ATTRIBUTES, type NodeAttribute } from '../domain/node.ts';
import { assertBelow, exceeded, isUsedUp, QUOTAS, type QuotaName } from '../domain/quotas.ts';
import type { Hub } from '../hub.ts';
import type { Transaction } from '../store/engine/transaction.ts';
import * as invites from '../store/invites.ts';
import * as members from '../store/members.ts';
import * as networks from '../store/networks.ts';
import * as nodes from '../store/nodes.ts';
import * as notifiers from '../store/notifiers/notifiers.ts';
import * as sessions from '../store/sessions.ts';
import * as tokens from '../store/tokens.ts';

/** Counts a call against the rate limits of its token. */
export function assertRate(hub: Hub, asking: Caller | Visitor, operation: string): void {
  if (!('token_id' in asking)) return;
  takeRate(hub, 'max_requests_per_minute', asking.token_id);
  if (operation === 'broadcast') takeRate(hub, 'max_broadcasts_per_minute', asking.token_id);
}

/**
 * Counts a change that adds to the audit log, whose entries are kept long and belong to no network's bytes. It counts
 * for the user, who may have many tokens.
 */
export function assertChangeRate(hub: Hub, { user_id }: Caller): void {
  takeRate(hub, 'max_changes_per_minute', user_id);
}

function takeRate(
  { settings, rates, clock }: Hub,
  name: Extract<QuotaName, `max_${string}_per_minute`>,
  counted: string,
): void {
  const max = settings[name];
  if (max === 0) return;
  const seconds = rates.take(`${name} ${counted}`, max, clock.now());
  if (seconds !== undefined) throw tooManyAMinute(QUOTAS[name].what, max, name, seconds);
}

export async function assertMayOwnNetwork({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  if (settings.max_networks === 0) return;
  assertBelow(settings, 'max_networks', await networks.countOwned(tx, userId, settings.max_networks));
}

/** A read that names no network goes through all networks of its user at once. */
export async function assertMayJoinAnother({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  if (settings.max_memberships === 0) return;
  assertBelow(settings, 'max_memberships', await members.countOfUser(tx, userId, settings.max_memberships));
}

/** Removes used-up and expired invites once their number reaches the limit of open ones. */
export async function makeRoomForInvite({ settings }: Hub, tx: Transaction, networkId: string): Promise<void> {
  const { max_invites: max } = settings;
  if (max === 0 || (await invites.count(tx, networkId, max)) < max) return;
  assertBelow(settings, 'max_invites', await invites.countOpen(tx, networkId, max));
  if ((await invites.count(tx, networkId, 2 * max)) >= 2 * max) await invites.removeClosed(tx, networkId);
}

export async function assertMayNotify({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  if (settings.max_notifiers === 0) return;
  assertBelow(settings, 'max_notifiers', await notifiers.countOfUser(tx, userId, settings.max_notifiers));
}

/** Removes expired tokens to make room. */
export async function makeRoomForToken({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  const { max_tokens: max } = settings;
  if (max === 0 || (await tokens.countOfUser(tx, userId, max)) < max) return;
  if ((await tokens.countLive(tx, userId)) >= max) throw exceeded(settings, 'max_tokens');
  await tokens.removeExpired(tx, userId);
}

/**
 * Joining a network never fails because of the token quota and ends no login session. Expired tokens are removed to
 * make room; if there are none, the new token exceeds the quota. Leaving a network removes its tokens, so a user has at
 * most one such token per joined network.
 */
export async function makeRoomForMember({ settings }: Hub, tx: Transaction, userId: string): Promise<void> {
  const { max_tokens: max } = settings;
  if (max === 0 || (await tokens.countOfUser(tx, userId, max)) < max) return;
  await tokens.removeExpired(tx, userId);
}

/**
 * A login never fails because of the quota. Expired tokens are removed to make room; if there are none, the login token
 * that has been unused for longest.
 */
export async function makeRoomForSignIn(hub: Hub, tx: Transaction, userId: string): Promise<void> {
  const { max_tokens: max } = hub.settings;
  if (max === 0 || (await tokens.countOfUser(tx, userId, max)) < max) return;
  const over = await tokens.removeExpired(tx, userId);
  const removed = over.length > 0 ? over : await tokens.removeLongestUnusedSignIn(tx, userId);
  tx.afterCommit(() => removed.forEach(({ token_id }) => hub.revocations.announce({ token_id })));
}

/** Removes the session that has been offline for longest, if a new one needs its place. */
export async function makeRoomForSession({ settings }: Hub, tx: Transaction, networkId: string): Promise<void> {
  if (settings.max_sessions === 0 || !isUsedUp(settings, 'max_sessions', await sessions.count(tx, networkId))) return;
  const offline = await sessions.findLongestOffline(tx, networkId);
  if (offline === undefined) throw exceeded(settings, 'max_sessions');
  await sessions.remove(tx, offline);
}

type NodeAttributes = Partial<Record<NodeAttribute, string | undefined>>;

/** Counts a node the first time a network reports it. */
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
export async function assertInboxHasRoomFor(
  { settings }: Hub,
  tx: Transaction,
  networkId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const moving = await tx.arrivals.pending(networkId, from);
  if (moving > 0)
    assertBelow(settings, 'max_pending_messages', (await tx.arrivals.pending(networkId, to)) + moving - 1);
}

/** Not called for completions, cancellations, and replies to a task's sender: these are always delivered. */
export async function assertInboxHasRoom(
  { settings }: Hub,
  tx: Transaction,
  networkId: string,
  alias: string,
): Promise<void> {
  if (settings.max_pending_messages === 0) return;
  assertBelow(settings, 'max_pending_messages', await tx.arrivals.pending(networkId, alias));
}

type Texts = readonly (string | undefined)[];

/** Counts texts that are stored `copies` times. Throws if the network has no room for them. */
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

/** Counts texts that are stored even if the quota is used up, because they settle a task. */
export function countBytes({ settings, networkBytes }: Hub, tx: Transaction, networkId: string, ...texts: Texts): void {
  if (settings.max_network_bytes > 0) tx.onRollback(networkBytes.add(networkId, sizeOf(texts)));
}

function sizeOf(texts: Texts): number {
  return texts.reduce((sum, text = '') => sum + Buffer.byteLength(text), 0);
}
