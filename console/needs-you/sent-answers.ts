// Whether the person has answered an agent that waits: on this page, in another browser or by another program.
import { type Agent, type MessageRecord, showMessage } from '../live/api.ts';
import { isAskedIn } from './mail-needs.ts';

/**
 * `sent` is what the person has sent, and `answered` are the messages that it replies to. Timestamps are in seconds: an
 * answer from the second of a question may be to the one before it.
 */
export function hasAnswered(
  agent: Agent,
  sent: readonly MessageRecord[],
  answered: ReadonlyMap<string, MessageRecord>,
): boolean {
  return sent.some((message) => {
    if (!isSince(agent, message)) return false;
    const question = answered.get(message.in_reply_to ?? '');
    return question === undefined ? message.type === 'message' : isAskedIn(agent, question);
  });
}

function isSince({ alias, last_progress_at }: Agent, message: MessageRecord): boolean {
  return message.alias === alias && message.created_at > last_progress_at;
}

/** The messages to which the person has replied since these agents began to wait. `known` need not be loaded. */
export async function loadAnswered(
  agents: readonly Agent[],
  sent: readonly MessageRecord[],
  known: readonly MessageRecord[],
): Promise<ReadonlyMap<string, MessageRecord>> {
  const found = new Map(known.map((message) => [message.id, message]));
  const replies = sent
    .filter(({ type }) => type === 'reply')
    .filter((each) => agents.some((agent) => isSince(agent, each)));
  const load = async ({ in_reply_to: id = '', network_id }: MessageRecord): Promise<void> => {
    if (found.has(id)) return;
    const shown = await showMessage(id, { network_id }).catch(() => undefined);
    if (shown !== undefined) found.set(id, shown.message);
  };
  await Promise.all(replies.map(load));
  return found;
}
