// The two demo agents. A planner sends tasks, a builder does them: each reports, reads its inbox and answers through
// the hub's tools, as any agent would.
import { words } from '../i18n/language.ts';
import { RequestError } from '../live/request.ts';
import type { CallTool } from './tool-call.ts';

export const PLANNER = 'demo-planner';
export const BUILDER = 'demo-builder';

type Mail = { id: string; type: string; content: string; from_session: string };

/** The tools, and the time between two acts; `rest` ends early when the demo does. */
export type Life = { call: CallTool; rest(milliseconds: number): Promise<void>; isOver(): boolean };

const WAIT_SECONDS = 20;
const STEP_MS = 1_400;
const PLAN_MS = 9_000;
/** A demo left alone for long slows down. */
const LIVELY_TASKS = 40;
const SLOW_PLAN_MS = 60_000;
const RETRY_MS = 4_000;
/** Every so many tasks one fails, since they do. */
const FAILS_EVERY = 5;

const MODELS = { [PLANNER]: 'demo-large', [BUILDER]: 'demo-small' };

function report({ call }: Life, alias: keyof typeof MODELS, status: string, more: object = {}): Promise<unknown> {
  return call('report_status', {
    resume_id: alias,
    alias,
    status,
    agent: 'demo',
    model: MODELS[alias],
    server: 'browser',
    hostname: location.hostname,
    task: '',
    progress: 0,
    ...more,
  });
}

export async function sayGoodbye(life: Life): Promise<void> {
  for (const alias of [PLANNER, BUILDER] as const) await report(life, alias, 'offline');
}

async function inbox({ call }: Life, alias: string, wait_seconds: number): Promise<Mail[]> {
  return (await call<{ messages: Mail[] }>('get_inbox', { alias, wait_seconds, limit: 20 })).messages;
}

export async function build(life: Life): Promise<void> {
  let done = 0;
  await report(life, BUILDER, 'idle', { task: words.value.demo.ready });
  while (!life.isOver()) {
    await patiently(life, async () => {
      for (const mail of await inbox(life, BUILDER, WAIT_SECONDS)) {
        await life.call('ack_inbox', { alias: BUILDER, message_id: mail.id });
        if (mail.type === 'task') await work(life, mail, (done += 1) % FAILS_EVERY === 0);
      }
    });
  }
}

async function work(life: Life, task: Mail, fails: boolean): Promise<void> {
  const { demo } = words.value;
  const steps = fails ? demo.step.slice(0, 2) : demo.step;
  for (const [index, step] of steps.entries()) {
    await report(life, BUILDER, 'working', {
      task: `${step}: ${task.content}`,
      progress: Math.round(((index + 0.5) / demo.step.length) * 100),
    });
    await life.rest(STEP_MS);
    if (life.isOver()) return;
  }
  const text = fails ? demo.failed(task.content) : demo.done(task.content);
  const reply = {
    alias: task.from_session,
    in_reply_to: task.id,
    from_session: BUILDER,
    text,
    status: fails ? 'failed' : 'replied',
  };
  // Somebody may have cancelled it or given it to another in the meantime: then there is nothing to answer.
  await life.call('send_reply', reply).catch(unlessOver);
  await report(life, BUILDER, 'idle', { task: demo.ready, output: text });
}

export async function plan(life: Life): Promise<void> {
  await report(life, PLANNER, 'working', { task: words.value.demo.greeting });
  await life
    .call('send_message', { alias: BUILDER, message: words.value.demo.greeting, from_session: PLANNER })
    .catch(unlessOver);
  for (let sent = 0; !life.isOver(); sent += 1) {
    await patiently(life, async () => {
      for (const mail of await inbox(life, PLANNER, 0))
        await life.call('ack_inbox', { alias: PLANNER, message_id: mail.id });
      const { jobs } = words.value.demo;
      const task = jobs[sent % jobs.length] ?? '';
      await life.call('send_task', {
        alias: BUILDER,
        task,
        from_session: PLANNER,
        priority: sent % 4 === 2 ? 'high' : 'normal',
        ttl_seconds: 900,
      });
      await report(life, PLANNER, 'idle', { task: '' });
    });
    // Two at once in the beginning, so that one of them is seen to wait.
    await life.rest(sent === 0 ? STEP_MS : sent < LIVELY_TASKS ? PLAN_MS : SLOW_PLAN_MS);
  }
}

/** What goes wrong once is tried again a little later; a token that is no longer good is the end. */
async function patiently(life: Life, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (life.isOver() || (error instanceof RequestError && error.status === 401)) throw error;
    await life.rest(RETRY_MS);
  }
}

function unlessOver(error: unknown): void {
  if (!(error instanceof RequestError) || error.status !== 200) throw error;
}
