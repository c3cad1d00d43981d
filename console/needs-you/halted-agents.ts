// The agents that need somebody, and whether the person has answered them: on this page, in another browser or by
// another program.
import { type Agent, type MessageRecord, showMessage } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { agents } from '../live/store.ts';
import { markRead } from '../messages/read-mail.ts';
import { headline } from '../parts/format.ts';
import { agentKey, answeredKey, dismissedKey, haltedStatus, isOver } from './agent-needs.ts';
import { isAskedIn } from './mail-needs.ts';
import { compare, type HaltedStatus, isGroup } from './need.ts';
import { needs } from './shown-needs.ts';
import { dismissKeys, restoreKeys } from './visit.ts';

function halted(): { agent: Agent; status: HaltedStatus }[] {
  return (agents.value ?? []).flatMap((agent) => {
    const status = haltedStatus(agent, hubTime());
    return status === undefined ? [] : [{ agent, status }];
  });
}

/** Each with the key under which it counts as answered. */
export function haltedAgents(): { agent: Agent; mark: string }[] {
  return halted().map(({ agent, status }) => ({ agent, mark: answeredKey(agentKey(status, agent), agent) }));
}

/** An agent that was dismissed and recovers needs somebody again the next time. */
export function restoreRecovered(): void {
  const keys = halted().map(({ agent, status }) => dismissedKey(agentKey(status, agent), agent));
  restoreKeys((key) => isOver(key, keys));
}

/** The person has answered this agent, which the list of needs and the store may know later than its page. */
export function markAnswered(agent: Agent): void {
  const asked = needs.value?.find((each) => each.kind === 'mail' && each.asker?.agent.alias === agent.alias);
  if (asked?.kind === 'mail' && !isGroup(asked)) void markRead(asked.messages.map(({ id }) => id)).catch(() => {});
  const status = haltedStatus(agent, hubTime());
  if (status !== undefined) return dismissKeys([answeredKey(agentKey(status, agent), agent)]);
  const need = needs.value?.find((each) => 'agent' in each && each.agent.alias === agent.alias);
  if (need !== undefined && 'agent' in need) dismissKeys([answeredKey(need.key, need.agent)]);
}

/**
 * The last answer. `sent` is what the person has sent, and `answered` are the messages that it replies to. Timestamps
 * are in seconds: an answer from the second of a question may be to the one before it.
 */
export function lastAnswer(
  agent: Agent,
  sent: readonly MessageRecord[],
  answered: ReadonlyMap<string, MessageRecord>,
): MessageRecord | undefined {
  const answers = sent.filter((message) => {
    if (!isSince(agent, message)) return false;
    const question = answered.get(message.in_reply_to ?? '');
    return question === undefined ? isAnswerTo(agent, message) : isAskedIn(agent, question);
  });
  return answers.toSorted((one, other) => compare(one.created_at, other.created_at)).at(-1);
}

/** An answer that quotes something else was to an earlier question. */
function isAnswerTo({ last_output }: Agent, { type, content }: MessageRecord): boolean {
  return type === 'message' && (content[0] !== '>' || content.startsWith(`> ${headline(last_output ?? '')}`));
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
