// Creates sample activity that fills every table: two users, a viewer, three agents, and a task in each state.
import type { Hub } from '../../server/hub.ts';
import { login } from '../../server/operations/accounts/login.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { clientHook } from '../../server/operations/agents/client-hook.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { reportStatus } from '../../server/operations/agents/report-status.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { createInvite } from '../../server/operations/networks/create-invite.ts';
import { joinNetwork } from '../../server/operations/networks/join-network.ts';
import { createNotifier } from '../../server/operations/notifiers/create-notifier.ts';
import { noticeNeeds } from '../../server/operations/notifiers/notice-needs.ts';
import { noticeStuckAgents } from '../../server/operations/notifiers/notice-stuck-agents.ts';
import { type AnyOperation, perform } from '../../server/operations/operation.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendTask } from '../../server/operations/tasks/send-task.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { flushWriteBehind } from '../../server/operations/write-behind.ts';

/** The credentials of the fixture, and the records it contains. */
export type Account = {
  username: string;
  password: string;
  user_token: string;
  network_token: string;
  network_id: string;
  /** Task ids by status. */
  tasks: Record<string, string>;
};

type Adjustable = { advance(milliseconds: number): void };

const MINUTE = 60_000;
const HERE = { ip: '192.0.2.7' };

export async function live(hub: Hub, clock: Adjustable): Promise<Account> {
  const ada = { username: 'ada', password: 'correct horse' };
  const {
    token: user_token,
    network_token,
    network_id,
  } = await perform(register, hub, HERE, { ...ada, display_name: 'Ada 林', email: 'ada@example.org' });
  await perform(login, hub, HERE, ada);
  await inviteViewer(hub, user_token, network_id);
  const ask = await askAs(hub, network_token);
  await reportAgents(ask);
  const tasks = await sendTasks(hub, ask, clock);
  await sendMessages(ask);
  await tellOfMail(hub, ask);
  await flushWriteBehind(hub);
  await notify(hub, user_token, ask, clock);
  await getStuck(hub, ask, clock);
  return { ...ada, user_token, network_token, network_id, tasks };
}

type Call = <Result extends object>(operation: AnyOperation<Result>, input: object) => Promise<Result>;

async function askAs(hub: Hub, token: string): Promise<Call> {
  const caller = await identify(hub, token, HERE.ip);
  if (caller === undefined) throw new Error('the new token is not valid');
  return (operation, input) => perform(operation, hub, { ...caller, ip: HERE.ip }, input);
}

async function inviteViewer(hub: Hub, ownersToken: string, network_id: string): Promise<void> {
  const owner = await askAs(hub, ownersToken);
  const { invite_code } = await owner(createInvite, { network_id, role: 'viewer', max_uses: 3 });
  const { token } = await perform(register, hub, HERE, { username: '小明', password: 'battery staple' });
  await (await askAs(hub, token))(joinNetwork, { invite_code });
}

async function reportAgents(ask: Call): Promise<void> {
  for (const [index, alias] of ['planner', 'builder', '构建者'].entries()) {
    await ask(reportStatus, {
      resume_id: `session-${index}`,
      alias,
      status: 'idle',
      agent: 'claude',
      model: 'opus',
      version: '1.4.2',
      hostname: `box-${index}.lab`,
      server: `box-${index}`,
      project_dir: '/srv/app',
      node_id: `node-${index}`,
      node_name: `Node ${index}`,
      channels: '["a","b"]',
      output: 'ready ✓\n',
      score: 7.5,
      progress: 40,
    });
  }
}

async function sendTasks(hub: Hub, ask: Call, clock: Adjustable): Promise<Record<string, string>> {
  const send = async (task: string, rest: object = {}): Promise<string> =>
    (await ask(sendTask, { alias: 'builder', task, from_session: 'planner', ...rest })).task_id;
  const tasks = {
    expired: await send('too late for anybody', { ttl_seconds: 60 }),
    replied: await send('build it', { priority: 'high', context: 'branch main', idempotency_key: 'key-1' }),
    failed: await send('build the other'),
    cancelled: await send('never mind'),
    delivered: await send('for another day', { ttl_seconds: 86_400, priority: 'low' }),
    running: await send('run for long', { ttl_seconds: 86_400 }),
  };
  await ask(getInbox, { alias: 'builder', limit: 100 });
  hub.writeBehind.notified(tasks.replied, hub.clock.now());
  for (const id of [tasks.replied, tasks.failed, tasks.running])
    await ask(ackInbox, { alias: 'builder', message_id: id, response: 'on it' });
  await ask(sendReply, { alias: 'planner', text: 'all green 🟢', in_reply_to: tasks.replied, from_session: 'builder' });
  await ask(sendReply, {
    alias: 'planner',
    text: 'no such branch',
    in_reply_to: tasks.failed,
    from_session: 'builder',
    status: 'failed',
  });
  await ask(retryTask, { task_id: tasks.failed });
  await ask(sendReply, {
    alias: 'planner',
    text: 'still none',
    in_reply_to: tasks.failed,
    from_session: 'builder',
    status: 'failed',
  });
  await ask(reassignTask, { task_id: tasks.delivered, new_alias: '构建者' });
  await ask(cancelTask, { task_id: tasks.cancelled, reason: 'dropped', from_session: 'planner' });
  clock.advance(2 * MINUTE);
  await ask(getInbox, { alias: 'builder' }); // expires overdue tasks
  return tasks;
}

/** The second event shows that the first one's mention was passed on. */
async function tellOfMail(hub: Hub, ask: Call): Promise<void> {
  const event = { client: 'claude-code', alias: 'planner', session_id: 'chat-1', hook_event_name: 'PostToolUse' };
  await ask(sendMessage, { alias: 'planner', message: 'seen the build?', from_session: 'builder' });
  for (const _ of ['mention', 'confirmation']) await ask(clientHook, event);
  await hub.store.write(async () => {}); // writes of hook events follow their responses
}

/** The delivery stays pending: nothing sends it. */
async function notify(hub: Hub, ownersToken: string, ask: Call, clock: Adjustable): Promise<void> {
  const owner = await askAs(hub, ownersToken);
  await owner(createNotifier, {
    format: 'webhook',
    url: 'https://hooks.example.org/agents',
    quiet_from: '22:00',
    quiet_until: '07:00',
  });
  await ask(reportStatus, { resume_id: 'session-2', alias: '构建者', status: 'waiting_input' });
  clock.advance(MINUTE); // a message may explain what it waits for
  await noticeNeeds(hub);
}

async function getStuck(hub: Hub, ask: Call, clock: Adjustable): Promise<void> {
  const report = () => ask(reportStatus, { resume_id: 'session-0', alias: 'planner', status: 'working', task: 'plan' });
  await report();
  clock.advance(8 * MINUTE);
  for (const [index, alias] of ['planner', 'builder', '构建者'].entries())
    await ask(getInbox, { alias, limit: 1 + index });
  clock.advance(2 * MINUTE);
  await report();
  await noticeStuckAgents(hub);
  await ask(reportStatus, { resume_id: 'session-2', alias: '构建者', status: 'offline' });
}

async function sendMessages(ask: Call): Promise<void> {
  await ask(sendMessage, {
    alias: 'builder',
    message: 'the host is back',
    from_session: 'planner',
    idempotency_key: 'key-2',
  });
  await ask(broadcast, { content: 'main is frozen', from_session: 'planner' });
  await ask(reportCompletion, {
    alias: 'planner',
    task: 'the plan',
    result: 'done',
    artifacts: ['plan.md'],
    score: 9.5,
    duration_minutes: 12.5,
  });
  await ask(sendReply, { alias: 'builder', text: 'thanks', from_session: 'planner' });
  const { messages } = await ask(getInbox, { alias: 'planner' });
  for (const { id } of messages.slice(0, 1)) await ask(ackInbox, { alias: 'planner', message_id: id });
}
