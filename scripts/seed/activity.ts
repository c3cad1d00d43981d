// Generates the activity of a busy hub as a list of actions in chronological order: agents report, tasks are sent,
// fetched, started and settled.
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { reportStatus } from '../../server/operations/agents/report-status.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import type { AnyOperation } from '../../server/operations/operation.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendTask } from '../../server/operations/tasks/send-task.ts';
import { type Draws, draws } from '../support/random.ts';
import { agentNames, ask, failure, MACHINES, MODELS, OUTPUT, outcome } from './texts.ts';

/** `phase` orders simultaneous actions: a task is sent before it is fetched. */
export type Action = { at: number; phase: number; act: () => Act; after?: (response: object) => void };
/** The operation to run, or nothing if a prerequisite does not exist. */
export type Act = { operation?: AnyOperation; input?: object; pushed?: boolean };
export type Span = { agents: number; tasks: number; from: number; to: number };

const MINUTE = 60_000;

export function planActions(span: Span): Action[] {
  const draw = draws(7);
  const names = agentNames(span.agents);
  const tasks = Array.from({ length: span.tasks }, (_, index) => taskActions(draw, span, names, index)).flat();
  const messages = names.slice(0, 40).map((alias, index) => messageAction(span, alias, index));
  const reports = names.map((alias, index) => reportAction(draw, span, alias, index));
  return [...firstReports(span, names), ...tasks, ...messages, ...reports].sort((one, other) => one.at - other.at);
}

function firstReports({ from }: Span, names: readonly string[]): Action[] {
  return names.map((alias, index) => ({
    at: from,
    phase: 0,
    act: () => ({ operation: reportStatus, input: { ...attributesOf(alias, index), status: 'idle' } }),
  }));
}

function attributesOf(alias: string, index: number) {
  const [agent, model] = MODELS[index % MODELS.length] ?? ['codex', 'gpt-5'];
  const machine = MACHINES[index % MACHINES.length];
  return {
    alias,
    resume_id: `session-${index}`,
    agent,
    model,
    hostname: `${machine}.lab`,
    server: machine,
    version: '1.4.2',
    project_dir: `/srv/${alias.split('-')[0]}`,
  };
}

/** More activity by day than by night, and more for a few agents than for the rest. */
function taskActions(draw: Draws, { from, to, tasks }: Span, names: readonly string[], index: number): Action[] {
  const isLate = index >= tasks * 0.985;
  const sent = isLate ? to - draw.below(25 * MINUTE) : momentBetween(draw, from, to - MINUTE);
  const alias = names[Math.floor(names.length * draw.below(1) ** 2)] ?? 'worker';
  const sender = draw.below(1) < 0.5 ? 'ada' : (names[index % 12] ?? 'ada');
  const text = ask(draw, index);
  const chance = draw.below(1);
  const isUnfetched = isLate ? chance < 0.6 : chance < 0.03;
  const input = {
    alias,
    task: text,
    from_session: sender,
    priority: draw.oneOf(['normal', 'normal', 'normal', 'high', 'low']),
    ttl_seconds: isUnfetched && !isLate ? 900 : 7_200,
    ...(index % 5 === 0 && { context: `Branch work/${index}, after the review of yesterday.` }),
  };
  let id = '';
  const known = (act: () => Act) => () => (id === '' ? {} : act());
  const actions: Action[] = [
    {
      at: sent,
      phase: 1,
      act: () => ({ operation: sendTask, input, pushed: !isUnfetched }),
      after: (response) => (id = String(Reflect.get(response, 'task_id') ?? '')),
    },
  ];
  if (isUnfetched) return actions;
  const fetched = sent + 6_000 + draw.below(40_000);
  const started = fetched + 5_000 + draw.below(20_000);
  actions.push({ at: fetched, phase: 2, act: known(() => ({ operation: getInbox, input: { alias, limit: 10 } })) });
  actions.push({
    at: started,
    phase: 3,
    act: known(() => ({ operation: ackInbox, input: { alias, message_id: id } })),
  });
  if (!isLate) actions.push(...settling(draw, { alias, sender, text, chance, started, known, id: () => id }));
  return actions.filter(({ at }) => at < to);
}

type Course = {
  alias: string;
  sender: string;
  text: string;
  chance: number;
  started: number;
  known: (act: () => Act) => () => Act;
  id: () => string;
};

function settling(draw: Draws, { alias, sender, text, chance, started, known, id }: Course): Action[] {
  const at = started + 20_000 + draw.below(14 * MINUTE);
  if (chance < 0.07)
    return [
      {
        at,
        phase: 4,
        act: known(() => ({
          operation: cancelTask,
          input: { task_id: id(), reason: 'No longer needed: the branch was dropped.', from_session: sender },
        })),
      },
    ];
  const status = chance < 0.13 ? 'failed' : 'replied';
  const reply = (): Act => ({
    operation: sendReply,
    input: {
      alias: sender,
      text: status === 'failed' ? failure(draw) : outcome(draw),
      in_reply_to: id(),
      status,
      from_session: alias,
    },
  });
  let message = '';
  const actions: Action[] = [
    {
      at,
      phase: 4,
      act: known(reply),
      after: (response) => (message = String(Reflect.get(response, 'message_id') ?? '')),
    },
    {
      at: at + 8_000,
      phase: 5,
      act: () =>
        sender === 'ada' || message === ''
          ? {}
          : { operation: ackInbox, input: { alias: sender, message_id: message } },
    },
  ];
  if (status === 'failed' && chance < 0.08)
    actions.push({
      at: at + 60_000,
      phase: 5,
      act: known(() => ({ operation: retryTask, input: { task_id: id(), from_session: 'ada' } })),
    });
  if (chance > 0.9)
    actions.push({
      at: at + 9_000,
      phase: 5,
      act: () => ({
        operation: reportCompletion,
        input: {
          alias,
          task: text.slice(0, 200),
          result: outcome(draw),
          artifacts: ['https://git.example/acme/app/pull/214', 'branch: fix/parser', 'notes/parser.md'],
          score: 8,
          duration_minutes: 7,
        },
      }),
    });
  return actions;
}

function momentBetween(draw: Draws, from: number, to: number): number {
  for (;;) {
    const at = from + draw.below(to - from);
    const hour = (at / 3_600_000) % 24;
    if (draw.below(1) < 0.35 + 0.65 * Math.sin((Math.PI * ((hour + 18) % 24)) / 24) ** 2) return at;
  }
}

function messageAction({ to }: Span, alias: string, index: number): Action {
  const message =
    index % 3 === 0
      ? 'The build machine restarts at 18:00; push what you have before then.'
      : `Note ${index}: the style guide moved to docs/style.md.`;
  return {
    at: to - (index + 1) * MINUTE,
    phase: 1,
    act: () => ({ operation: sendMessage, input: { alias, message, from_session: 'ada' } }),
  };
}

const STATES = [
  'working',
  'working',
  'working',
  'working',
  'idle',
  'idle',
  'idle',
  'idle',
  'idle',
  'waiting_input',
  'blocked',
  'error',
] as const;

/** Six in seven agents are online at the end; the rest went offline long before. */
function reportAction(draw: Draws, { from, to }: Span, alias: string, index: number): Action {
  const isGone = index % 7 === 6;
  const status = STATES[index % STATES.length];
  const work = status === 'idle' ? { task: '' } : { task: ask(draw, index), progress: Math.floor(draw.below(100)) };
  const at = isGone ? from + draw.below((to - from) * 0.9) : to - draw.below(4 * MINUTE);
  return {
    at,
    phase: 0,
    act: () => ({ operation: reportStatus, input: { ...attributesOf(alias, index), status, ...work, output: OUTPUT } }),
  };
}
