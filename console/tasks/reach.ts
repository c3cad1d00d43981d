// Says what will make an agent see an answer, from what the console knows about the agent, and nothing beyond that.
import type { Words } from '../i18n/en.ts';
import type { Agent } from '../live/api.ts';
import { duration, momentOf } from '../parts/format.ts';
import { presenceSentence } from './why.ts';

type Context = { now: number; language: string; words: Pick<Words, 'answer' | 'task' | 'taskStatus'> };

/** `isKnown` is false while the agents are not loaded: then even an absent agent may exist. */
export function reachSentences(
  alias: string,
  agent: Pick<Agent, 'status' | 'last_seen_at'> | undefined,
  isKnown: boolean,
  context: Context,
): string[] {
  const { answer } = context.words;
  if (!isKnown) return [answer.sees(alias)];
  const status = agent?.status ?? 'unknown';
  const presence = presenceSentence(
    alias,
    { assignee_status: status, assignee_last_seen_at: agent?.last_seen_at ?? null },
    context,
  );
  if (agent === undefined || status === 'offline') return [presence, answer.waits(alias)];
  const active = answer.lastActive(duration(context.now - momentOf(agent.last_seen_at), context.language));
  return [presence, active, status === 'idle' ? answer.seesIdle(alias) : answer.sees(alias)];
}
