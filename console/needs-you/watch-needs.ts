// Keeps the list of needs current: agents from the store, tasks from the pool, mail and failures from the hub. The hub
// sends no event when a message is read or a task is fetched, so both are verified while such a need is shown.
import { effect, untracked } from '@preact/signals';
import { listTasks } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { type LiveEvent, onLiveEvent, whileHoldingEvents } from '../live/live-events.ts';
import { agents, liveState, mayWrite, taskCounts } from '../live/store.ts';
import { rememberTasks } from '../live/task-pool.ts';
import { atMostEvery } from '../live/throttle.ts';
import { readHere } from '../messages/read-mail.ts';
import { loadOldestWaiting, waitingLoadedAt } from '../overview/longest-waiting.ts';
import { momentOf, stampOf } from '../parts/format.ts';
import { followVisibility, notifyBrowser } from './browser-notifications.ts';
import { haltedAgents, restoreRecovered } from './halted-agents.ts';
import { knownNow } from './known-now.ts';
import { isQuestion } from './mail-needs.ts';
import { agentNeedOf, HUB_ALIAS, isFailure, itemKeys, type Need, taskKey } from './need.ts';
import { findDismissed, findNeeds } from './needs.ts';
import { announceNew, dismissedNeeds, forgetNeeds, needs, needsTotal, showNeeds } from './shown-needs.ts';
import { isMailCut, mail, readAnswered, watchMail } from './unread-mail.ts';
import { FIRST_VISIT_MS, followVisit, visit } from './visit.ts';

const REFRESH_MS = 1_000;
const WAITING_MS = 5_000;
const TICK_MS = 5_000;
const VERIFY_TICKS = 3;
const MAX_RUNNING = 100;
const MAX_FAILURES = 100;

export function watchNeeds(network_id: string, { user_id, username: me }: { user_id: string; username: string }) {
  let checked: ReadonlySet<string> = new Set();
  let checkedAt = 0;
  let agentKeys: ReadonlySet<string> = new Set();
  /** The keys of the agents whose running tasks have been loaded. */
  let asked: ReadonlySet<string> = new Set();
  let shownKeys: ReadonlySet<string> | undefined;
  let areFailuresLoaded = false;
  let areRunningLoaded = false;
  let ticks = 0;
  const startedAt = stampOf(hubTime());
  let isClosed = false;

  function refresh(): void {
    if (agents.value === null || mail.value === null || taskCounts.value === null) return;
    restoreRecovered();
    mailbox.compareSoon();
    const known = knownNow(me, agents.value, mail.value, isMailCut.value);
    const found = findNeeds(known);
    dismissedNeeds.value = findDismissed(known);
    const unfetched = found.filter(({ kind }) => kind === 'unfetched').flatMap(itemKeys);
    if (checkedAt !== waitingLoadedAt.value) [checkedAt, checked] = [waitingLoadedAt.value, new Set(unfetched)];
    const unchecked = new Set(unfetched.filter((key) => !checked.has(key)));
    if (unchecked.size > 0 || mayHoldUnknown()) waiting.soon();
    agentKeys = new Set(found.flatMap((need) => agentNeedOf(need)?.key ?? []));
    if (found.some(lacksTask) || areRunningUnknown()) running.soon();
    if (!areFailuresLoaded) failures.soon();
    const isComplete = areFailuresLoaded && !mayHoldUnknown() && found.every(isVerified);
    // A task that may have been fetched does not hide the others of its agent.
    const sure =
      unchecked.size === 0
        ? found
        : findNeeds({ ...known, tasks: known.tasks.filter((task) => !unchecked.has(taskKey('unfetched', task))) });
    show(sure.filter(isVerified), isComplete || needsTotal.value !== null);
  }

  /** The start of its running task may show that an agent is not stuck. */
  function isVerified(need: Need): boolean {
    if (need.kind === 'unfetched') return itemKeys(need).every((key) => checked.has(key));
    return need.kind !== 'stuck' || !lacksTask(need);
  }

  /** An agent whose running task has not been loaded. */
  function lacksTask(need: Need): boolean {
    const found = agentNeedOf(need);
    const isLacking = found !== undefined && found.task === undefined && !asked.has(found.key);
    return isLacking && (taskCounts.value?.running ?? 0) > 0;
  }

  /** A running task may be abandoned, which is not known until they have been loaded once. */
  function areRunningUnknown(): boolean {
    return !areRunningLoaded && (taskCounts.value?.running ?? 0) > 0;
  }

  async function loadRunning(): Promise<void> {
    const keys = agentKeys;
    const query = { network_id, status: 'running', limit: MAX_RUNNING, outline: 'true' } as const;
    const page = await whileHoldingEvents(listTasks(query)).catch(() => undefined);
    if (isClosed || page === undefined) return;
    asked = keys;
    areRunningLoaded = true;
    rememberTasks(page.tasks);
    refresh();
  }

  /** Only recent ones: a task that was sent long before the last visit rarely fails after it. */
  async function loadFailures(): Promise<void> {
    const created_after = stampOf(momentOf(visit.value.seenAt) - FIRST_VISIT_MS);
    const query = { network_id, created_after, limit: MAX_FAILURES, outline: 'true' } as const;
    const statuses = (['failed', 'expired'] as const).filter((status) => (taskCounts.value?.[status] ?? 0) > 0);
    const pages = await whileHoldingEvents(
      Promise.all(statuses.map((status) => listTasks({ ...query, status }))),
    ).catch(() => undefined);
    if (isClosed || pages === undefined) return;
    areFailuresLoaded = true;
    for (const { tasks } of pages) rememberTasks(tasks);
    refresh();
  }

  /** There are waiting tasks, and none have been loaded yet. */
  function mayHoldUnknown(): boolean {
    return waitingLoadedAt.value === 0 && (taskCounts.value?.delivered ?? 0) > 0;
  }

  function show(found: readonly Need[], isComplete: boolean): void {
    const before = shownKeys;
    shownKeys = new Set(found.flatMap(itemKeys));
    const fresh = before === undefined ? [] : found.filter((need) => itemKeys(need).some((key) => !before.has(key)));
    const total = found.filter((need) => itemKeys(need).length > 0).length;
    showNeeds(found);
    if (isComplete) needsTotal.value = total;
    // Needs found in lists that load after the page are not new.
    const news = fresh.filter((need) =>
      isFailure(need) ? (need.task.completed_at ?? '') >= startedAt : ticks > 0 || need.since >= startedAt,
    );
    announceNew(news);
    void notifyBrowser(news, total);
  }

  function take(event: LiveEvent): void {
    if (event.type === 'task') refreshing.soon();
    if (event.type === 'new_message' || event.type === 'new_reply' || event.type === 'session') {
      if (event.alias === me || event.alias === HUB_ALIAS) mailbox.loadSoon();
    }
    // Its event does not tell what this message answers.
    const isSent = (event.type === 'new_message' || event.type === 'new_reply') && event.from === me;
    const isToAsker = isSent && haltedAgents().some(({ agent }) => agent.alias === event.alias);
    if (isToAsker || (isSent && event.type === 'new_message' && mail.value?.some(isQuestion))) mailbox.compareAgain();
    if (event.type === 'new_reply' && event.from === me && mayWrite.value) readAnswered(event.in_reply_to);
  }

  function tick(): void {
    refreshing.soon();
    ticks += 1;
    if (document.hidden || ticks % VERIFY_TICKS !== 0) return;
    if (needs.value?.some(({ kind }) => kind === 'unfetched')) waiting.soon();
    if (mail.value?.length !== 0) mailbox.loadSoon();
  }

  const refreshing = atMostEvery(REFRESH_MS, refresh);
  const mailbox = watchMail(network_id, me);
  const waiting = atMostEvery(WAITING_MS, () => void loadOldestWaiting().catch(() => {}));
  const running = atMostEvery(WAITING_MS, () => void loadRunning());
  const failures = atMostEvery(WAITING_MS, () => void loadFailures());
  const timer = setInterval(tick, TICK_MS);
  waitingLoadedAt.value = 0;
  mailbox.loadSoon();
  const ends = [
    followVisit(user_id, network_id, stampOf(hubTime() - FIRST_VISIT_MS)),
    onLiveEvent(take),
    followVisibility(),
    // A dismissal and mail that was read show at once.
    effect(() => {
      void [mail.value, readHere.value, visit.value];
      untracked(refresh);
    }),
    // What the page still waits for is shown as soon as it can be.
    effect(() => {
      void [agents.value, mayWrite.value, taskCounts.value, waitingLoadedAt.value];
      if (needs.peek() === null) untracked(refresh);
      else refreshing.soon();
    }),
    afterReconnect(() => {
      areFailuresLoaded = areRunningLoaded = false;
      mailbox.loadSoon();
    }),
    () => clearInterval(timer),
    ...[refreshing, mailbox, waiting, running, failures].map(({ stop }) => stop),
  ];
  return () => {
    isClosed = true;
    for (const end of ends) end();
    forgetNeeds();
  };
}

/** Mail that arrived while the stream was interrupted has no event. */
function afterReconnect(reload: () => void): () => void {
  let wasDown = false;
  return effect(() => {
    const { state } = liveState.value;
    if (state === 'live' && wasDown) reload();
    wasDown = state === 'reconnecting' || state === 'offline' || (wasDown && state !== 'live');
  });
}
