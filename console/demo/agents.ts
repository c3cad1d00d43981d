// The two demo agents. A planner sends tasks and a builder works on them. Both report, read their inbox and reply
// through the tools of the hub, like any agent.
import { words } from '../i18n/language.ts';
import { RequestError } from '../live/request.ts';
import type { CallTool } from './tool-call.ts';

export const PLANNER = 'demo-planner';
export const BUILDER = 'demo-builder';

type Message = { id: string; type: string; content: string; from_session: string };

/** The tools and the delay between two actions. `sleep` ends early when the demo stops. */
export type DemoRun = { call: CallTool; sleep(milliseconds: number): Promise<void>; isOver(): boolean };

const WAIT_SECONDS = 20;
const STEP_MS = 1_400;
const PLAN_MS = 9_000;
/** The demo slows down when it runs for a long time. */
const LIVELY_TASKS = 40;
const SLOW_PLAN_MS = 60_000;
const RETRY_MS = 4_000;
/** One in this many tasks of the planner fails, as real tasks do. Those that people send never fail. */
const FAILS_EVERY = 5;

const MODELS = { [PLANNER]: 'demo-large', [BUILDER]: 'demo-small' };

function report({ call }: DemoRun, alias: keyof typeof MODELS, status: string, more: object = {}): Promise<unknown> {
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

export async function reportOffline(run: DemoRun): Promise<void> {
  for (const alias of [PLANNER, BUILDER] as const) await report(run, alias, 'offline');
}

async function inbox({ call }: DemoRun, alias: string, wait_seconds: number): Promise<Message[]> {
  return (await call<{ messages: Message[] }>('get_inbox', { alias, wait_seconds, limit: 20 })).messages;
}

export async function build(run: DemoRun): Promise<void> {
  let done = 0;
  await report(run, BUILDER, 'idle', { task: words.value.demo.ready });
  await retryLater(run, () => finishInterrupted(run));
  while (!run.isOver()) {
    await retryLater(run, async () => {
      for (const message of await inbox(run, BUILDER, WAIT_SECONDS)) {
        await run.call('ack_inbox', { alias: BUILDER, message_id: message.id });
        if (message.type !== 'task') continue;
        const isOwn = message.from_session === PLANNER;
        await work(run, message, isOwn && (done += 1) % FAILS_EVERY === 0);
      }
    });
  }
}

type Task = { task_id: string; content: string; from_name: string };

/** A reload of the tab interrupts the builder, and what it has acknowledged is no longer in its inbox. */
async function finishInterrupted(run: DemoRun): Promise<void> {
  const { tasks } = await run.call<{ tasks: Task[] }>('list_tasks', { alias: BUILDER, status: 'running' });
  for (const { task_id: id, content, from_name: from_session } of tasks.reverse())
    await work(run, { id, type: 'task', content, from_session }, false);
}

async function work(run: DemoRun, task: Message, fails: boolean): Promise<void> {
  const { demo } = words.value;
  const steps = fails ? demo.steps.slice(0, 2) : demo.steps;
  for (const [index, step] of steps.entries()) {
    await report(run, BUILDER, 'working', {
      task: `${step}: ${task.content}`,
      progress: Math.round(((index + 0.5) / demo.steps.length) * 100),
    });
    await run.sleep(STEP_MS);
    if (run.isOver()) return;
  }
  const text = fails ? demo.failed(task.content) : demo.done(task.content);
  const reply = {
    alias: task.from_session,
    in_reply_to: task.id,
    from_session: BUILDER,
    text,
    status: fails ? 'failed' : 'replied',
  };
  // The task may have been cancelled or reassigned in the meantime. Then there is nothing to reply to.
  await run.call('send_reply', reply).catch(ignoreToolError);
  await report(run, BUILDER, 'idle', { task: demo.ready, output: text });
}

export async function plan(run: DemoRun): Promise<void> {
  await report(run, PLANNER, 'working', { task: words.value.demo.greeting });
  await run
    .call('send_message', { alias: BUILDER, message: words.value.demo.greeting, from_session: PLANNER })
    .catch(ignoreToolError);
  for (let sent = 0; !run.isOver(); sent += 1) {
    await retryLater(run, async () => {
      for (const message of await inbox(run, PLANNER, 0))
        await run.call('ack_inbox', { alias: PLANNER, message_id: message.id });
      const { tasks } = words.value.demo;
      const task = tasks[sent % tasks.length] ?? '';
      await run.call('send_task', {
        alias: BUILDER,
        task,
        from_session: PLANNER,
        priority: sent % 4 === 2 ? 'high' : 'normal',
        ttl_seconds: 900,
      });
      await report(run, PLANNER, 'idle', { task: '' });
    });
    // Starts with two tasks, so that one of them is visibly waiting.
    await run.sleep(sent === 0 ? STEP_MS : sent < LIVELY_TASKS ? PLAN_MS : SLOW_PLAN_MS);
  }
}

/** Retries temporary failures after a delay. An invalid token ends the demo. */
async function retryLater(run: DemoRun, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (run.isOver() || (error instanceof RequestError && error.status === 401)) throw error;
    await run.sleep(RETRY_MS);
  }
}

function ignoreToolError(error: unknown): void {
  if (!(error instanceof RequestError) || error.status !== 200) throw error;
}
