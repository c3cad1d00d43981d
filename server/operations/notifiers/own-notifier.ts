// Finds a notifier on behalf of a user: one for themselves, or one for a network that they own.
import type { Caller } from '../../domain/accounts/caller.ts';
import { noSuchNotifier } from '../../domain/errors.ts';
import type { Notifier } from '../../domain/notifiers/notifier.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import * as notifiers from '../../store/notifiers/notifiers.ts';

export async function getOwnNotifier(reader: Reader, { user_id }: Caller, notifierId: string): Promise<Notifier> {
  const notifier = await notifiers.find(reader, notifierId);
  if (notifier === undefined || !(await isOwn(reader, user_id, notifier))) throw noSuchNotifier();
  return notifier;
}

async function isOwn(reader: Reader, userId: string, { user_id, network_id }: Notifier): Promise<boolean> {
  if (network_id === null) return user_id === userId;
  return (await members.findRole(reader, network_id, userId)) === 'owner';
}
