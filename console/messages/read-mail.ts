// Acknowledges mail to the signed-in person, who reads it here instead of in an inbox.
import { account } from '../account/account.ts';
import { readMessages } from '../live/api.ts';

/** The hub accepts no more ids in one request. */
const BATCH = 100;

/** Marks messages to the signed-in person or to `hub` as read. Tasks are refused: reading them would start them. */
export async function markRead(ids: readonly string[]): Promise<void> {
  const network_id = account.value?.network_id;
  for (let at = 0; at < ids.length; at += BATCH)
    await readMessages({ network_id, message_ids: ids.slice(at, at + BATCH) });
}
