// The actions of a need: a button and a key for each.
import { account, networkAndActor } from '../account/account.ts';
import { showToast } from '../frame/toast.ts';
import { language, words } from '../i18n/language.ts';
import { type MessageRecord, retryTask } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { mayWrite } from '../live/store.ts';
import { markRead } from '../messages/read-mail.ts';
import { wholeNumber } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { answeredKey } from './agent-needs.ts';
import { isQuestion } from './mail-needs.ts';
import {
  agentNeedOf,
  isFailure,
  isGroup,
  itemKeys,
  type MailNeed,
  NEED_ACT_KEYS,
  type Need,
  type NeedAct,
  type TaskNeed,
} from './need.ts';
import { needAsked, type TaskAct } from './need-asked.ts';
import { needTitle } from './need-text.ts';
import { dismissKeys, dismissUntil } from './visit.ts';

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
  if (isFailure(need) && isGroup(need) && (act === 'retry' || act === 'reassign'))
    return words.value.tasks.bulk[act](wholeNumber(need.tasks.length, language.value));
  if (act !== 'dismiss') return texts[act];
  if (need.kind === 'mail' && mayWrite.value) return isGroup(need) ? texts.readAll : texts.read;
  return isGroup(need) ? texts.dismissAll : texts.dismiss;
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
  cancel: (need) => askAboutTask('cancel', need),
  dismiss,
};

async function answer(need: Need): Promise<void> {
  if (need.kind === 'mail') needAsked.value = { what: 'messages', need, onAnswered: (sent) => close(need, sent) };
  else if (need.kind === 'asked') await askAboutTask('settle', need);
  else if ('agent' in need) {
    const { key, agent, task } = need;
    const onDone = () => dismissKeys([answeredKey(key, agent)]);
    needAsked.value = { what: 'answer', alias: agent.alias, task, onDone };
  } else needAsked.value = { what: 'answer', alias: need.task.to_name, task: need.task };
}

/** An answered question also answers the agent that waits for it. */
function close({ asker }: MailNeed, answered: MessageRecord): void {
  if (asker !== undefined && isQuestion(answered)) dismissKeys([answeredKey(asker.key, asker.agent)]);
}

async function askAboutTask(what: TaskAct, need: Need, onDone?: () => Promise<void>): Promise<void> {
  const task = need.kind === 'mail' ? need.asker?.task : need.task;
  if (task !== undefined) needAsked.value = { what, task, onDone };
}

async function retry(need: Need): Promise<void> {
  if (!isFailure(need)) return;
  if (isGroup(need)) return askAboutAll('retryAll', need);
  const { retried_to } = await retryTask(need.task.task_id, networkAndActor(need.task));
  showToast({ text: words.value.tasks.retried(retried_to) });
  await readReports(need.messages);
}

async function reassign(need: Need): Promise<void> {
  if (!isFailure(need)) return askAboutTask('reassign', need);
  if (isGroup(need)) return askAboutAll('reassignAll', need);
  await askAboutTask('reassign', need, () => readReports(need.messages));
}

function askAboutAll(what: 'retryAll' | 'reassignAll', { tasks, messages }: TaskNeed): void {
  const onRetried = (ids: ReadonlySet<string>) =>
    void readReports(messages.filter(({ in_reply_to }) => ids.has(in_reply_to ?? ''))).catch(() => {});
  needAsked.value = { what, tasks, onRetried };
}

async function dismiss(need: Need): Promise<void> {
  if (need.kind === 'mail' && mayWrite.value) return markRead(need.messages.map(({ id }) => id));
  const agent = agentNeedOf(need);
  dismissKeys([...('agent' in need ? [] : itemKeys(need)), ...(agent === undefined ? [] : [agent.key])]);
  if (isFailure(need)) await readReports(need.messages);
}

export async function dismissFailures(failures: readonly TaskNeed[]): Promise<void> {
  const moments = failures.map(({ task }) => task.completed_at ?? '');
  dismissUntil(moments.sort().at(-1) ?? '');
  await readReports(failures.flatMap(({ messages }) => messages)).catch(() => {});
}

/** The replies that report a failure are read with it. A viewer may not read those to `hub`. */
async function readReports(messages: readonly MessageRecord[]): Promise<void> {
  const me = account.value?.user.username;
  const ids = messages.filter(({ alias }) => alias === me || mayWrite.value).map(({ id }) => id);
  if (ids.length > 0) await markRead(ids);
}
