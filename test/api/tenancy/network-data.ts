// A network with history: sessions, tasks in several states, messages, completions, a node, an invite, a token. Every
// user-written text contains the canary.
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { reportStatus } from '../../../server/operations/agents/report-status.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { updateNetwork } from '../../../server/operations/networks/update-network.ts';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import type { TestHub } from '../../support/test-hub.ts';
import type { Ids } from './fixture.ts';
import { ask, type Person } from './users.ts';

type Say = (topic: string) => string;
type Act = <Result extends object>(operation: AnyOperation<Result>, input: object) => Promise<Result>;

/** `alias` is the one agent whose name has no canary. `somebody` is a member other than the owner. */
export async function fillNetwork(
  hub: TestHub,
  owner: Person,
  somebody: Person,
  alias: string,
  canary: string,
): Promise<Ids> {
  const say: Say = (topic) => `${topic} ${canary}`;
  const act: Act = (operation, input) => ask(hub, owner.ntok, operation, input);
  const { network_id } = owner;
  await ask(hub, owner.utok, updateNetwork, {
    network_id,
    network_name: say('network'),
    description: say('description'),
  });
  await reportAgents(act, say, alias);
  const { task_id: settled } = await act(sendTask, {
    alias,
    task: say('settled task'),
    context: say('context'),
    from_session: say('sender'),
  });
  await act(reportCompletion, { alias, task: settled, result: say('result'), artifacts: [say('artifact')] });
  const { task_id: failed_task_id } = await act(sendTask, {
    alias,
    task: say('failed task'),
    from_session: say('sender'),
  });
  await act(sendReply, {
    alias: say('sender'),
    text: say('failure'),
    in_reply_to: failed_task_id,
    status: 'failed',
    from_session: alias,
  });
  await sendMuch(act, say, alias);
  const { message_id } = await act(sendMessage, { alias, message: say('message'), from_session: say('sender') });
  const { task_id } = await act(sendTask, {
    alias,
    task: say('task'),
    context: say('context'),
    from_session: say('sender'),
  });
  const invite = await ask(hub, owner.utok, createInvite, { network_id, max_uses: 100 });
  const { token_id } = await ask(hub, somebody.utok, createToken, { name: say('token'), network_id });
  return {
    network_id,
    alias,
    task_id,
    failed_task_id,
    message_id,
    token_id,
    user_id: somebody.user_id,
    invite_id: invite.invite_id,
    invite_code: invite.invite_code,
  };
}

async function reportAgents(act: Act, say: Say, alias: string): Promise<void> {
  const attributes = [
    'agent',
    'model',
    'task',
    'output',
    'server',
    'hostname',
    'project_dir',
    'version',
    'tmux_name',
    'node_id',
    'session_id',
    'config_path',
    'node_name',
  ];
  const written = Object.fromEntries(attributes.map((name) => [name, say(name)]));
  const channels = JSON.stringify([say('channel')]);
  await act(reportStatus, { resume_id: say('resume id'), alias, status: 'working', channels, ...written });
  await act(reportStatus, {
    resume_id: say('another resume id'),
    alias: say('agent'),
    status: 'idle',
    ...written,
    node_id: say('another node'),
  });
}

async function sendMuch(act: Act, say: Say, alias: string): Promise<void> {
  const { message_id } = await act(sendMessage, {
    alias,
    message: say('acknowledged message'),
    from_session: say('sender'),
  });
  await act(ackInbox, { alias, message_id, response: say('response') });
  const { task_id: moved } = await act(sendTask, {
    alias: say('agent'),
    task: say('moved task'),
    from_session: say('sender'),
  });
  await act(reassignTask, { task_id: moved, new_alias: alias, from_session: say('dispatcher') });
  const { task_id: cancelled } = await act(sendTask, {
    alias,
    task: say('cancelled task'),
    from_session: say('sender'),
  });
  await act(cancelTask, { task_id: cancelled, reason: say('reason'), from_session: say('dispatcher') });
  await act(sendReply, { alias, text: say('plain reply'), from_session: say('sender') });
  await act(broadcast, { content: say('news'), from_session: say('sender') });
  await act(reportCompletion, {
    alias: say('agent'),
    task: say('finished'),
    result: say('result'),
    artifacts: [say('artifact')],
  });
}
