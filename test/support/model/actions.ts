// The possible actions in a story for the hub and the model: every operation of an agent or a controller, with few
// names and few words, so that they often collide.
import fc from 'fast-check';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { reportStatus } from '../../../server/operations/agents/report-status.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import { getStats } from '../../../server/operations/records/get-stats.ts';
import { getAllStatus } from '../../../server/operations/sessions/get-all-status.ts';
import { getSessionStatus } from '../../../server/operations/sessions/get-session-status.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { waitTask } from '../../../server/operations/tasks/wait-task.ts';
import { ROLES, type Role } from './fixture.ts';
import * as reads from './reads.ts';
import * as rules from './rules.ts';
import * as sends from './sends.ts';
import { type ModelState, type Net, taskBy } from './state.ts';

export type Act = {
  operation: AnyOperation;
  writes: boolean;
  network: number;
  role: Role;
  times: number;
  /** The request, built once the ids are known, and the rule for the expected response. */
  at(state: ModelState, net: Net): { input: object; rule: () => rules.Expected };
};

export type StoryStep =
  | { title: string; act: Act }
  | { title: string; advance: number }
  | { title: string; restart: number };

type Kind<Drawn, Input extends object> = {
  operation: AnyOperation;
  writes?: boolean;
  times?: number;
  draw: fc.Arbitrary<Drawn>;
  given: (drawn: Drawn, state: ModelState, net: Net) => Input;
  rule: (state: ModelState, net: Net, input: Input, isViewer: boolean) => rules.Expected;
};

function kind<Drawn, Input extends object>({
  operation,
  writes = true,
  times = 1,
  draw,
  given,
  rule,
}: Kind<Drawn, Input>): fc.Arbitrary<StoryStep> {
  const networks = fc.constantFrom(0, 0, 0, 0, 1);
  const roles = fc.constantFrom(...Array<Role>(writes ? 15 : 3).fill('member'), ...ROLES);
  return fc.tuple(networks, roles, draw).map(([network, role, drawn]) => {
    const at: Act['at'] = (state, net) => {
      const input = given(drawn, state, net);
      return { input, rule: () => rule(state, net, input, role === 'viewer') };
    };
    const title = `${role} ${network} ${operation.name} ${JSON.stringify(drawn)}${times > 1 ? ` × ${times}` : ''}`;
    return { title, act: { operation, writes, network, role, times, at } };
  });
}

export const ALIASES = ['ann', 'bob', 'cid', '小明'] as const;
const alias = fc.constantFrom(...ALIASES);
const sender = fc.constantFrom('ann', 'bob', 'cid', 'hub', 'run-1');
const resumeId = fc.constantFrom('run-1', 'run-2', 'run-3', 'run-4');
const status = fc.constantFrom(
  ...(['working', 'working', 'idle', 'blocked', 'error', 'waiting_input', 'offline'] as const),
);
const taskStatus = fc.constantFrom(...(['delivered', 'running', 'expired'] as const));
const statusFilter = fc.constantFrom(...(['idle', 'working', 'offline'] as const));
const content = fc.constantFrom('build', 'test', 'deploy');
const text = fc.constantFrom('yes', 'no', 'done', 'wait', 'why');
const key = fc.constantFrom('key-1', 'key-2', 'key-3');
const priority = fc.constantFrom(...(['high', 'normal', 'low'] as const));
const ttl = fc.constantFrom(1, 60, 599, 3600, 86_400);
const outcome = fc.constantFrom(...(['replied', 'replied', 'failed', 'cancelled'] as const));
/** An index into the known ids. */
const ref = fc.nat({ max: 999 });

function idAt({ knownIds }: ModelState, at: number): string {
  const nearby = at % 3 === 0 ? knownIds.length : Math.min(8, knownIds.length);
  return at % 20 === 19 ? 'task_nothing' : (knownIds.at(-1 - (at % Math.max(1, nearby))) ?? 'task_nothing');
}

const only = <Drawn extends object>(drawn: Drawn): Drawn => drawn;
const aboutTask = <Drawn extends { task_id: number }>(drawn: Drawn, state: ModelState) => ({
  ...drawn,
  task_id: idAt(state, drawn.task_id),
});
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const withKey = <Drawn extends object>(drawn: Drawn) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(drawn) },
    { weight: 1, arbitrary: key.map((idempotency_key) => ({ ...drawn, idempotency_key })) },
  );

/** Reassigned to the agent that has it: SPECIFICATION.md does not say what then. */
function elsewhere(
  { new_alias, ...drawn }: { task_id: number; new_alias: string; from_session: string },
  state: ModelState,
  net: Net,
) {
  const task_id = idAt(state, drawn.task_id);
  return { ...drawn, task_id, new_alias: taskBy(net, task_id)?.to === new_alias ? renamed(new_alias) : new_alias };
}

export const renamed = (name: string): string => `${name}2`;

const words = fc.oneof(content, ref);
const outcomesOf = (drawn: string | number, state: ModelState): string =>
  typeof drawn === 'number' ? idAt(state, drawn) : drawn;

export const WRITES = {
  report: kind({
    operation: reportStatus,
    draw: fc.record({
      resume_id: resumeId,
      alias,
      status,
      task: fc.oneof(fc.constant(undefined), fc.constant(''), words),
    }),
    given: ({ task, ...drawn }, state) => ({ ...drawn, ...(task !== undefined && { task: outcomesOf(task, state) }) }),
    rule: rules.reportStatus,
  }),
  complete: kind({
    operation: reportCompletion,
    draw: fc.record({ alias, task: words, result: text }),
    given: ({ task, ...drawn }, state) => ({ ...drawn, task: outcomesOf(task, state) }),
    rule: rules.reportCompletion,
  }),
  ack: kind({
    operation: ackInbox,
    draw: fc.record({ alias, message_id: ref }),
    given: (drawn, state) => ({ ...drawn, message_id: idAt(state, drawn.message_id) }),
    rule: rules.ackInbox,
  }),
  // Usually by the recipient of the message.
  ackOwn: kind({ operation: ackInbox, draw: fc.record({ message_id: ref }), given: ownMessage, rule: rules.ackInbox }),
  sendTask: kind({
    operation: sendTask,
    draw: fc.record({ alias, task: content, priority, from_session: sender, ttl_seconds: ttl }).chain(withKey),
    given: only,
    rule: sends.sendTask,
  }),
  sendMessage: kind({
    operation: sendMessage,
    draw: fc.record({ alias, message: text, from_session: sender }).chain(withKey),
    given: only,
    rule: sends.sendMessage,
  }),
  repeatMessage: kind({
    operation: sendMessage,
    times: 20,
    draw: fc.record({ alias, message: text, from_session: sender }),
    given: only,
    rule: sends.sendMessage,
  }),
  reply: kind({
    operation: sendReply,
    draw: fc.record({ alias, text, in_reply_to: optional(ref), status: outcome, from_session: sender }).chain(withKey),
    given: ({ in_reply_to, ...drawn }, state) => ({
      ...drawn,
      ...(in_reply_to !== undefined && { in_reply_to: idAt(state, in_reply_to) }),
    }),
    rule: sends.sendReply,
  }),
  start: kind({
    operation: sendAck,
    draw: fc.record({ task_id: ref, from_session: sender }),
    given: aboutTask,
    rule: rules.sendAck,
  }),
  retry: kind({
    operation: retryTask,
    draw: fc.record({ task_id: ref, from_session: sender }),
    given: aboutTask,
    rule: rules.retryTask,
  }),
  cancel: kind({
    operation: cancelTask,
    draw: fc.record({ task_id: ref, reason: optional(text), from_session: sender }),
    given: ({ reason, ...drawn }, state) => ({ ...aboutTask(drawn, state), ...(reason !== undefined && { reason }) }),
    rule: rules.cancelTask,
  }),
  reassign: kind({
    operation: reassignTask,
    draw: fc.record({ task_id: ref, new_alias: alias, from_session: sender }),
    given: elsewhere,
    rule: rules.reassignTask,
  }),
  broadcast: kind({
    operation: broadcast,
    draw: fc.record({ content: text, from_session: sender }),
    given: only,
    rule: sends.broadcast,
  }),
};

function ownMessage({ message_id }: { message_id: number }, state: ModelState, net: Net) {
  const id = idAt(state, message_id);
  return { message_id: id, alias: net.messages.find((message) => message.id === id)?.alias ?? 'ann' };
}

export const READS = {
  inbox: kind({
    operation: getInbox,
    writes: false,
    draw: fc.record({ alias, limit: fc.constantFrom(1, 3, 10, 100) }),
    given: only,
    rule: reads.getInbox,
  }),
  task: kind({
    operation: getTask,
    writes: false,
    draw: fc.record({ task_id: ref }),
    given: aboutTask,
    rule: reads.getTask,
  }),
  wait: kind({
    operation: waitTask,
    writes: false,
    draw: fc.record({ task_id: ref, timeout_seconds: fc.constant(0) }),
    given: aboutTask,
    rule: reads.waitTask,
  }),
  tasks: kind({
    operation: listTasks,
    writes: false,
    draw: fc.record(
      { alias, status: taskStatus, from_name: sender, limit: fc.constantFrom(1, 20, 100) },
      { requiredKeys: [] },
    ),
    given: only,
    rule: reads.listTasks,
  }),
  stats: kind({ operation: getStats, writes: false, draw: fc.constant({}), given: only, rule: reads.getStats }),
  agents: kind({
    operation: getAllStatus,
    writes: false,
    draw: fc.record({ filter_status: statusFilter }, { requiredKeys: [] }),
    given: only,
    rule: reads.getAllStatus,
  }),
  agent: kind({
    operation: getSessionStatus,
    writes: false,
    draw: fc.record({ alias }),
    given: only,
    rule: reads.getSessionStatus,
  }),
};
