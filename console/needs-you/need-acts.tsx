// The actions of a need: a button and a key for each.
import { account, networkAndActor } from '../account/account.ts';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { type MessageRecord, retryTask } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { mayWrite } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { markRead } from '../messages/read-mail.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { needAsked, type TaskAct } from './need-asked.ts';
import { needTitle } from './need-text.ts';
import { isFailure, NEED_ACT_KEYS, type Need, type NeedAct, type TaskNeed } from './needs.ts';
import { dismissKey, dismissUntil } from './visit.ts';

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

function labelOf(act: NeedAct, { kind }: Need): string {
  const { act: texts } = words.value.needsYou;
  if (act === 'answer' && kind === 'asked') return words.value.settle.act;
  return act === 'dismiss' && kind === 'mail' ? texts.read : texts[act];
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
  reassign: (need) => askAboutTask('reassign', need, isFailure(need) ? () => readReports(need.messages) : undefined),
  cancel: (need) => askAboutTask('cancel', need),
  dismiss,
};

/** An agent without a running task gets a message. */
async function answer(need: Need): Promise<void> {
  const message = need.kind === 'mail' ? need.messages.at(-1) : undefined;
  if (message !== undefined) needAsked.value = { what: 'message', message };
  else if ('agent' in need && need.task === undefined) openSend(need.agent.alias, 'message');
  else await askAboutTask(need.kind === 'asked' ? 'settle' : 'answer', need);
}

async function askAboutTask(what: TaskAct, need: Need, onDone?: () => Promise<void>): Promise<void> {
  const task = need.kind === 'mail' ? undefined : need.task;
  if (task !== undefined) needAsked.value = { what, task, onDone };
}

async function retry(need: Need): Promise<void> {
  if (!isFailure(need)) return;
  const { retried_to } = await retryTask(need.task.task_id, networkAndActor(need.task));
  showToast({ text: words.value.tasks.retried(retried_to) });
  await readReports(need.messages);
}

async function dismiss(need: Need): Promise<void> {
  if (need.kind === 'mail') return markRead(need.messages.map(({ id }) => id));
  dismissKey(need.key);
  if (!('agent' in need)) await readReports(need.messages);
}

export async function dismissFailures(failures: readonly TaskNeed[]): Promise<void> {
  dismissUntil(failures.at(-1)?.since ?? '');
  await readReports(failures.flatMap(({ messages }) => messages)).catch(() => {});
}

/** The replies that report a failure are read with it. A viewer may not read those to `hub`. */
async function readReports(messages: readonly MessageRecord[]): Promise<void> {
  const me = account.value?.user.username;
  const ids = messages.filter(({ alias }) => alias === me || mayWrite.value).map(({ id }) => id);
  if (ids.length > 0) await markRead(ids);
}
