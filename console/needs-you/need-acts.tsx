// The actions of a need: a button and a key for each.
import { account, networkAndActor } from '../account/account.ts';
import { showToast } from '../frame/toast.ts';
import { language, words } from '../i18n/language.ts';
import { type MessageRecord, retryTask } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { errorText } from '../live/error-texts.ts';
import { mayWrite } from '../live/store.ts';
import { markRead } from '../messages/read-mail.ts';
import { stampOf, wholeNumber } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { answeredKey, dismissedKey, writtenKey } from './agent-needs.ts';
import {
  agentNeedOf,
  isFailure,
  isGroup,
  isPast,
  itemKeys,
  type MailNeed,
  mailKey,
  NEED_ACT_KEYS,
  type Need,
  type NeedAct,
  type TaskNeed,
} from './need.ts';
import { type GroupAct, needAsked, type TaskAct } from './need-asked.ts';
import { needTitle } from './need-text.ts';
import { RESTORABLE_MS } from './needs.ts';
import { readResults } from './unread-mail.ts';
import { answeredMail, dismissKeys, dismissUntil, restoreKeys, sentAgain } from './visit.ts';

/** Longer than the toast with Undo is shown. */
const UNDO_MS = 10_000;

const ICONS: Record<NeedAct, IconName> = {
  answer: 'message',
  retry: 'retry',
  reassign: 'arrow',
  cancel: 'cancelled',
  dismiss: 'check',
};

export function NeedActs({ need }: { need: Need }) {
  const { labelled } = words.value;
  return (
    <div class="need-acts">
      {need.acts.map((act, at) => (
        <button
          key={act}
          type="button"
          class={`button button-small ${at === 0 ? '' : 'button-quiet'}`}
          aria-label={labelled(labelOf(act, need), needTitle(need))}
          aria-keyshortcuts={NEED_ACT_KEYS[act]}
          data-key={NEED_ACT_KEYS[act]}
          onClick={(event) => {
            settleFocus(event);
            void run(act, need);
          }}
        >
          <Icon name={ICONS[act]} />
          {labelOf(act, need)}
        </button>
      ))}
    </div>
  );
}

function labelOf(act: NeedAct, need: Need): string {
  const { act: texts } = words.value.needsYou;
  if (act === 'answer' && need.kind === 'asked') return words.value.settle.act;
  if (act === 'answer' && !asksSomething(need)) return texts.message;
  if ('tasks' in need && isGroup(need) && (act === 'retry' || act === 'reassign' || act === 'cancel'))
    return words.value.tasks.bulk[act](wholeNumber(need.tasks.length, language.value));
  if (act !== 'dismiss') return texts[act];
  if (need.kind === 'results') return mayWrite.value ? texts.readAll : texts.dismissAll;
  return isGroup(need) ? texts.dismissAll : texts.dismiss;
}

function asksSomething({ kind }: Need): boolean {
  return kind === 'mail' || kind === 'waiting_input';
}

/**
 * The button disappears when its action succeeds. After a key press, the focus moves to the row, which stays. After a
 * click, it is dropped, so that the list does not stay frozen.
 */
function settleFocus({ detail, currentTarget }: MouseEvent): void {
  if (!(currentTarget instanceof HTMLElement)) return;
  if (detail > 0) currentTarget.blur();
  else currentTarget.closest('.need')?.querySelector<HTMLElement>('.row-link')?.focus();
}

async function run(act: NeedAct, need: Need): Promise<void> {
  try {
    await RUN[act](need);
  } catch (error) {
    showToast({ text: errorText(error), tone: 'warning' });
  }
}

const RUN: Record<NeedAct, (need: Need) => Promise<void>> = {
  answer,
  retry,
  reassign,
  cancel,
  dismiss,
};

async function answer(need: Need): Promise<void> {
  if (need.kind === 'mail') needAsked.value = { what: 'messages', need, onAnswered: (sent) => close(need, sent) };
  else if (need.kind === 'asked') await askAboutTask('settle', need);
  else if ('agent' in need) {
    const { key, agent, task, question } = need;
    const questions = question === undefined ? [] : [question];
    const onDone = () => dismissKeys([answeredKey(key, agent)]);
    needAsked.value = { what: 'answer', alias: agent.alias, task, questions, isMessage: !asksSomething(need), onDone };
  } else if (need.kind !== 'results') {
    const { key, task } = need;
    const onDone = () => dismissKeys([writtenKey(key)]);
    needAsked.value = { what: 'answer', alias: task.to_name, task, isMessage: true, onDone };
  }
}

/** The answer to its question also answers the agent that waits for it; those to its other messages do not. */
function close({ asker, shown }: MailNeed, answered: MessageRecord): void {
  answeredMail.add(answered.id);
  if (asker !== undefined && answered.id === shown.id) dismissKeys([answeredKey(asker.key, asker.agent)]);
}

async function askAboutTask(what: TaskAct, need: Need, onDone?: () => Promise<void>): Promise<void> {
  const task = need.kind === 'mail' ? need.asker?.task : need.kind === 'results' ? undefined : need.task;
  if (task !== undefined) needAsked.value = { what, task, onDone };
}

async function retry(need: Need): Promise<void> {
  if (!isFailure(need)) return;
  if (isGroup(need)) return askAboutAll('retryAll', need);
  const { retried_to } = await retryTask(need.task.task_id, networkAndActor(need.task));
  showToast({ text: words.value.tasks.retried(retried_to) });
  sentAgain.add(need.task.task_id);
  await readReports(need.messages);
}

async function cancel(need: Need): Promise<void> {
  if ('tasks' in need && isGroup(need)) return askAboutAll('cancelAll', need);
  return askAboutTask('cancel', need, takenAway(need));
}

/** What an agent asked about a task that it no longer has needs nobody. Its error may be that of more than the task. */
function takenAway(need: Need): (() => Promise<void>) | undefined {
  const asker = agentNeedOf(need);
  return asker === undefined || asker.kind === 'error' ? undefined : async () => dismissKeys(keysOf(need));
}

async function reassign(need: Need): Promise<void> {
  if ('tasks' in need && isGroup(need)) return askAboutAll('reassignAll', need);
  if (!isFailure(need)) return askAboutTask('reassign', need, takenAway(need));
  await askAboutTask('reassign', need, () => {
    sentAgain.add(need.task.task_id);
    return readReports(need.messages);
  });
}

function askAboutAll(what: GroupAct, { kind, tasks, messages }: TaskNeed): void {
  const onDone = (ids: ReadonlySet<string>) => {
    if (isPast(kind)) for (const id of ids) sentAgain.add(id);
    void readReports(messages.filter(({ in_reply_to }) => ids.has(in_reply_to ?? ''))).catch(() => {});
  };
  needAsked.value = { what, tasks, onDone };
}

/** A message stays unread, so that it can still be found and answered. */
async function dismiss(need: Need): Promise<void> {
  if (need.kind === 'results') {
    if (mayWrite.value) return readResults(account.value?.network_id, need.since);
    return dismissKeys(need.messages.map(mailKey));
  }
  dismissWithUndo(needTitle(need), keysOf(need), isFailure(need) ? need.messages : []);
}

/** The keys under which a need is dismissed. */
function keysOf(need: Need): string[] {
  const agent = agentNeedOf(need);
  return [
    ...('agent' in need ? [] : itemKeys(need)),
    ...(agent === undefined ? [] : [dismissedKey(agent.key, agent.agent)]),
  ];
}

/** The reports of failures are read once there is no way back. */
function dismissWithUndo(
  title: string,
  keys: readonly string[],
  reports: readonly MessageRecord[],
  andThen = () => {},
): void {
  dismissKeys(keys);
  const timer = setTimeout(() => {
    andThen();
    void readReports(reports).catch(() => {});
  }, UNDO_MS);
  const undo = () => {
    clearTimeout(timer);
    restoreKeys((key) => keys.includes(key));
  };
  const { labelled, needsYou } = words.value;
  showToast({ text: labelled(needsYou.dismissed, title), linkText: needsYou.undo, run: undo });
}

/** If these are all, later visits begin after those that cannot be restored any more. */
export function dismissFailures(failures: readonly TaskNeed[], areAll: boolean): void {
  const forget = () => dismissUntil(stampOf(hubTime() - RESTORABLE_MS));
  dismissWithUndo(
    failures.map(needTitle).join(', '),
    failures.flatMap(itemKeys),
    failures.flatMap(({ messages }) => messages),
    areAll ? forget : undefined,
  );
}

/** The replies that report a failure are read with it. A viewer may not read those to `hub`. */
async function readReports(messages: readonly MessageRecord[]): Promise<void> {
  const me = account.value?.user.username;
  const ids = messages.filter(({ alias }) => alias === me || mayWrite.value).map(({ id }) => id);
  if (ids.length > 0) await markRead(ids);
}
