// Lists which notifiers report which networks. The list is cached until notifiers or access rights change.
import type { Trigger } from '../../domain/notifiers/choices.ts';
import type { Subscription } from '../../domain/notifiers/notifier.ts';
import type { Hub } from '../../hub.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as needs from '../../store/notifiers/needs.ts';
import { listSubscriptions } from '../../store/notifiers/notifiers.ts';
import * as stuckAgents from '../../store/notifiers/stuck-agents.ts';

const NOTIFIERS_AT_ONCE = 200;

/** By the number of their network. */
export type Subscriptions = ReadonlyMap<number, readonly Subscription[]>;

export async function subscriptionsByNetwork(hub: Hub): Promise<Subscriptions> {
  return Map.groupBy(await currentSubscriptions(hub), ({ network_seq }) => network_seq);
}

export async function currentSubscriptions({ store, notifiers }: Hub): Promise<readonly Subscription[]> {
  const version = notifiers.version(store.accessVersion());
  const known = notifiers.find(version);
  if (known !== undefined) return known;
  const all = await allSubscriptions((work) => store.read(work));
  for (const networkSeq of notifiers.keep(version, all)) await store.write((tx) => forgetAgents(tx, networkSeq));
  return all;
}

type Read = <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>;

/** Reads the stored subscriptions, a page at a time. */
export async function allSubscriptions(read: Read): Promise<Subscription[]> {
  const all: Subscription[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const { found, next } = await read((reader) => listSubscriptions(reader, from, NOTIFIERS_AT_ONCE));
    all.push(...found);
    after = next;
  }
  return all;
}

/** Its agents are reported again if the network is followed later. */
async function forgetAgents(tx: Transaction, networkSeq: number): Promise<void> {
  await needs.markAllWell(tx, networkSeq);
  await stuckAgents.markAllProgressed(tx, networkSeq);
}

/** The subscriptions that are wanted, by network. */
export function only(subscriptions: Subscriptions, isWanted: (subscription: Subscription) => boolean): Subscriptions {
  return Map.groupBy([...subscriptions.values()].flat().filter(isWanted), ({ network_seq }) => network_seq);
}

export function wants(trigger: Trigger): (subscription: Subscription) => boolean {
  return ({ triggers }) => triggers.includes(trigger);
}
