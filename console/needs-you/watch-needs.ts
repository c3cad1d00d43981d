// Keeps the list of needs current: agents from the store, tasks from the pool, mail and failures from the hub. The hub
// sends no event when a message is read or a task is fetched, so both are verified while such a need is shown.
import { effect, signal, untracked } from '@preact/signals';
import { announce } from '../frame/announcements.ts';
import { words } from '../i18n/language.ts';
import { type Agent, listMessages, listTasks, type MessageRecord } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { type LiveEvent, onLiveEvent, whileHoldingEvents } from '../live/live-events.ts';
import { agents, liveState, mayWrite, taskCounts } from '../live/store.ts';
import { rememberTasks } from '../live/task-pool.ts';
import { atMostEvery } from '../live/throttle.ts';
import { isReadOnSight, markRead, readHere } from '../messages/read-mail.ts';
import { loadOldestWaiting, waitingLoadedAt } from '../overview/longest-waiting.ts';
import { momentOf, stampOf } from '../parts/format.ts';
import { agentKey, answeredKey, dismissedKey, haltedStatus, isOver } from './agent-needs.ts';
import { followVisibility, notifyBrowser } from './browser-notifications.ts';
import { knownNow, rememberReported } from './known-now.ts';
import { isQuestion } from './mail-needs.ts';
import { agentNeedOf, HUB_ALIAS, isFailure, isGroup, itemKeys, type Need } from './need.ts';
import { needTitle } from './need-text.ts';
import { findDismissed, findNeeds } from './needs.ts';
import { hasAnswered, loadAnswered } from './sent-answers.ts';
import { isFailureReply } from './task-needs.ts';
import { answeredMail, dismissKeys, FIRST_VISIT_MS, followVisit, restoreKeys, sentAgain, visit } from './visit.ts';

const REFRESH_MS = 1_000;
const WAITING_MS = 5_000;
const TICK_MS = 5_000;
const VERIFY_TICKS = 3;
const MAX_MAIL = 100;
const MAX_RUNNING = 100;
const MAX_FAILURES = 100;

/** The address of the panel is the overview with this hash. */
export const NEEDS_ID = 'needs-you';

/** Other pages have no panel yet. */
export function focusFirstNeed(): void {
  const row = document.querySelector<HTMLElement>('.need .row-link');
  if (row === null) return;
  scrollTo({ top: 0 });
  row.focus();
}

/** Most urgent first; null until loaded. */
export const needs = signal<readonly Need[] | null>(null);
/** The number of needs without answered agents; null until everything has loaded once. */
export const needsTotal = signal<number | null>(null);
/** Those that were dismissed and have not ended since, without failures. */
export const dismissedNeeds = signal<readonly Need[]>([]);
const mail = signal<readonly MessageRecord[] | null>(null);

/** The results of a task that the person has not read. */
export function unreadResultsOf(task_id: string): readonly MessageRecord[] {
  return (mail.value ?? []).filter((message) => message.in_reply_to === task_id && isReadOnSight(message));
}

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
  /** The questions for which the answers of the person were loaded. */
  const compared = new Set<string>();

  function refresh(): void {
    if (agents.value === null || mail.value === null || taskCounts.value === null) return;
    restoreRecovered(agents.value);
    if (haltedAgents().some(({ mark }) => !compared.has(mark))) loadingMail.soon();
    const known = knownNow(me, agents.value, mail.value);
    const found = findNeeds(known);
    dismissedNeeds.value = findDismissed(known);
    const unfetched = found.filter(({ kind }) => kind === 'unfetched').flatMap(itemKeys);
    if (checkedAt !== waitingLoadedAt.value) [checkedAt, checked] = [waitingLoadedAt.value, new Set(unfetched)];
    if (unfetched.some((key) => !checked.has(key)) || mayHoldUnknown()) waiting.soon();
    agentKeys = new Set(found.flatMap((need) => agentNeedOf(need)?.key ?? []));
    if (found.some(lacksTask) || areRunningUnknown()) running.soon();
    if (!areFailuresLoaded) failures.soon();
    const isComplete = areFailuresLoaded && !mayHoldUnknown() && found.every(isVerified);
    show(found.filter(isVerified), isComplete || needsTotal.value !== null);
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
    refreshing.soon();
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
    if (!isSameList(needs.value, found)) needs.value = found;
    if (isComplete) needsTotal.value = total;
    // Needs found in lists that load after the page are not new.
    const news = fresh.filter((need) =>
      isFailure(need) ? (need.task.completed_at ?? '') >= startedAt : ticks > 0 || need.since >= startedAt,
    );
    announceNew(news);
    void notifyBrowser(news, total);
  }

  async function loadMail(): Promise<void> {
    const aliases = [...new Set([me, HUB_ALIAS])];
    const lists = await Promise.all(aliases.map((alias) => listPending(network_id, alias))).catch(() => undefined);
    const found = lists?.flat() ?? mail.value ?? [];
    const [answers] = await Promise.all([loadAnswers(found), rememberReported(network_id, found)]);
    if (isClosed) return;
    for (const { in_reply_to } of answers) if (in_reply_to !== undefined) answeredMail.add(in_reply_to);
    const isAnswered = (message: MessageRecord) =>
      answeredMail.has(message.id) || (isFailureReply(message) && sentAgain.has(message.in_reply_to ?? ''));
    mail.value = found.filter((message) => !isAnswered(message));
    const ids = found.filter(isAnswered).map(({ id }) => id);
    if (ids.length > 0 && mayWrite.value) void markRead(ids).catch(() => {});
  }

  /** A question may have been answered before this page was open, in another browser or by another program. */
  async function loadAnswers(found: readonly MessageRecord[]): Promise<readonly MessageRecord[]> {
    const questions = found.filter((message) => isQuestion(message) && !compared.has(message.id));
    const askers = haltedAgents().filter(({ mark }) => !compared.has(mark));
    if (questions.length + askers.length === 0) return [];
    const query = { network_id, from_session: me, without_tasks: 'true', limit: MAX_MAIL } as const;
    const page = await listMessages(query).catch(() => undefined);
    if (page === undefined) return [];
    for (const id of [...questions.map(({ id }) => id), ...askers.map(({ mark }) => mark)]) compared.add(id);
    const known = askers.map(({ agent }) => agent);
    const answered = await loadAnswered(known, page.messages, found);
    const marks = askers.filter(({ agent }) => hasAnswered(agent, page.messages, answered)).map(({ mark }) => mark);
    if (marks.length > 0 && !isClosed) dismissKeys(marks);
    return page.messages;
  }

  /** The overview may just have loaded them. */
  function loadWaiting(): void {
    const isRecent = waitingLoadedAt.value !== 0 && performance.now() - waitingLoadedAt.value < WAITING_MS;
    if (!isRecent) void loadOldestWaiting().catch(() => {});
  }

  function take(event: LiveEvent): void {
    if (event.type === 'task') refreshing.soon();
    if (event.type === 'new_message' || event.type === 'new_reply' || event.type === 'session') {
      if (event.alias === me || event.alias === HUB_ALIAS) loadingMail.soon();
    }
    // Its event does not tell what this message answers.
    const isSent = (event.type === 'new_message' || event.type === 'new_reply') && event.from === me;
    const isToAsker = isSent && haltedAgents().some(({ agent }) => agent.alias === event.alias);
    if (isToAsker || (isSent && event.type === 'new_message' && mail.value?.some(isQuestion))) {
      compared.clear();
      loadingMail.soon();
    }
    if (event.type === 'new_reply' && event.from === me && mayWrite.value) readAnswered(event.in_reply_to);
  }

  function tick(): void {
    refreshing.soon();
    ticks += 1;
    if (document.hidden || ticks % VERIFY_TICKS !== 0) return;
    if (needs.value?.some(({ kind }) => kind === 'unfetched')) waiting.soon();
    if (mail.value?.length !== 0) loadingMail.soon();
  }

  const refreshing = atMostEvery(REFRESH_MS, refresh);
  const loadingMail = atMostEvery(REFRESH_MS, () => void loadMail());
  const waiting = atMostEvery(WAITING_MS, loadWaiting);
  const running = atMostEvery(WAITING_MS, () => void loadRunning());
  const failures = atMostEvery(WAITING_MS, () => void loadFailures());
  const timer = setInterval(tick, TICK_MS);
  waitingLoadedAt.value = 0;
  loadingMail.soon();
  const ends = [
    followVisit(user_id, network_id, stampOf(hubTime() - FIRST_VISIT_MS)),
    onLiveEvent(take),
    followVisibility(),
    // A dismissal and mail that was read show at once.
    effect(() => {
      void [mail.value, readHere.value, visit.value];
      untracked(refresh);
    }),
    effect(() => {
      void [agents.value, mayWrite.value, taskCounts.value, waitingLoadedAt.value];
      refreshing.soon();
    }),
    afterReconnect(() => {
      areFailuresLoaded = areRunningLoaded = false;
      loadingMail.soon();
    }),
    () => clearInterval(timer),
    ...[refreshing, loadingMail, waiting, running, failures].map(({ stop }) => stop),
  ];
  return () => {
    isClosed = true;
    for (const end of ends) end();
    needs.value = needsTotal.value = null;
    dismissedNeeds.value = [];
    mail.value = null;
  };
}

/** The person has answered this agent, which the list of needs and the store may know later than its page. */
export function markAnswered(agent: Agent): void {
  const asked = needs.value?.find((each) => each.kind === 'mail' && each.asker?.agent.alias === agent.alias);
  if (asked?.kind === 'mail' && !isGroup(asked)) void markRead(asked.messages.map(({ id }) => id)).catch(() => {});
  const halted = haltedStatus(agent, hubTime());
  if (halted !== undefined) return dismissKeys([answeredKey(agentKey(halted, agent), agent)]);
  const need = needs.value?.find((each) => 'agent' in each && each.agent.alias === agent.alias);
  if (need !== undefined && 'agent' in need) dismissKeys([answeredKey(need.key, need.agent)]);
}

/** The agents that need somebody, each with the key under which it counts as answered. */
function haltedAgents(): { agent: Agent; mark: string }[] {
  return (agents.value ?? []).flatMap((agent) => {
    const status = haltedStatus(agent, hubTime());
    return status === undefined ? [] : [{ agent, mark: answeredKey(agentKey(status, agent), agent) }];
  });
}

/** An agent that was dismissed and recovers needs somebody again the next time. */
function restoreRecovered(list: readonly Agent[]): void {
  const halted = list.flatMap((agent) => {
    const status = haltedStatus(agent, hubTime());
    return status === undefined ? [] : [dismissedKey(agentKey(status, agent), agent)];
  });
  restoreKeys((key) => isOver(key, halted));
}

async function listPending(network_id: string, alias: string): Promise<readonly MessageRecord[]> {
  return (await listMessages({ network_id, alias, pending: 'true', limit: MAX_MAIL })).messages;
}

/** An answered message has been read. */
function readAnswered(id: string | null): void {
  if (id !== null) answeredMail.add(id);
  const answered = mail.value?.find((message) => message.id === id);
  if (answered !== undefined && answered.type !== 'task') void markRead([answered.id]).catch(() => {});
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

/** Agents are announced by their status. */
function announceNew(fresh: readonly Need[]): void {
  const [first, ...others] = fresh.filter((need) => !('agent' in need));
  const { needsYou, labelled } = words.value;
  if (first !== undefined)
    announce(labelled(needsYou.title, others.length === 0 ? needTitle(first) : needsYou.fresh(others.length + 1)));
}

/** A list that did not change is not rendered again. */
function isSameList(shown: readonly Need[] | null, found: readonly Need[]): boolean {
  const [before, parts] = [shown?.flatMap(partsOf), found.flatMap(partsOf)];
  return before?.length === parts.length && parts.every((part, at) => part === before[at]);
}

/** Records are replaced when they change. */
function partsOf(need: Need): unknown[] {
  const asker = need.kind === 'mail' ? need.asker : undefined;
  return [...Object.values({ ...need, asker: asker?.key }), ...Object.values(asker ?? {})].flat();
}
