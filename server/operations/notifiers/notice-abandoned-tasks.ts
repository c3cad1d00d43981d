// Finds running tasks whose agent went offline or is idle, and queues them for the notifiers that report stuck agents.
// Each is found once: by the moment at which its agent stopped, in the time since the last check. Without notifiers it
// reads nothing.
import { ABANDONED_AFTER_MS, RESTART_GRACE_MS } from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import { listAbandoned, type TasksAfter, type Window } from '../../store/notifiers/abandoned-tasks.ts';
import * as store from '../../store/notifiers/needs.ts';
import { abandonedNeed } from './found-needs.ts';
import { queueNeeds } from './queue-needs.ts';
import { ABANDONED_READER } from './readers.ts';
import { only, type Subscriptions, subscriptionsByNetwork, wants } from './subscriptions.ts';

const TASKS_AT_ONCE = 100;

/**
 * An agent is marked as offline up to a sweep later than it went, and after a start of the hub, agents first get time
 * to report. Until then the time of the last check stays as it is.
 */
export async function noticeAbandonedTasks(hub: Hub): Promise<{ needs: number }> {
  const subscriptions = only(await subscriptionsByNetwork(hub), wants('stuck'));
  const delay = Math.max(ABANDONED_AFTER_MS, 2 * hub.settings.sweep_seconds * SECOND_MS);
  const now = hub.clock.now();
  if (subscriptions.size === 0 || now < hub.awake.since + RESTART_GRACE_MS + delay) return { needs: 0 };
  const checked = (await hub.store.read((reader) => store.findPosition(reader, ABANDONED_READER))) ?? now;
  let needs = 0;
  for (const networkSeq of subscriptions.keys())
    needs += await noticeIn(hub, subscriptions, networkSeq, { since: checked - delay, until: now - delay });
  if (!hub.life.isStopping) await hub.store.write((tx) => store.setPosition(tx, ABANDONED_READER, now));
  return { needs };
}

async function noticeIn(hub: Hub, subscriptions: Subscriptions, networkSeq: number, window: Window): Promise<number> {
  let needs = 0;
  for (let after: number | undefined = 0; after !== undefined && !hub.life.isStopping; ) {
    const from: TasksAfter = { after, rows: TASKS_AT_ONCE };
    const { found, next } = await hub.store.read((reader) => listAbandoned(reader, networkSeq, window, from));
    const byAgent = Map.groupBy(found, ({ to_name }) => to_name);
    const wanted = [...byAgent.values()].flatMap(abandonedNeed);
    if (wanted.length > 0) needs += await queueNeeds(hub, subscriptions, wanted, async () => {});
    after = next;
  }
  return needs;
}
