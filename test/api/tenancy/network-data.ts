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
import { createNotifier } from '../../../server/operations/notifiers/create-notifier.ts';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import type { TestHub } from '../../support/test-hub.ts';
import type { Ids } from './fixture.ts';
import { ask, type User } from './users.ts';

export const NOTIFIER = { format: 'webhook', url: 'https://hooks.example.org/agents' };

type TextAbout = (topic: string) => string;
type Act = <Result extends object>(operation: AnyOperation<Result>, input: object) => Promise<Result>;

/** `alias` is the one agent whose name has no canary. `somebody` is a member other than the owner. */
export async function fillNetwork(
  hub: TestHub,
  owner: User,
  somebody: User,
  alias: string,
  canary: string,
): Promise<Ids> {
  const textAbout: TextAbout = (topic) => `${topic} ${canary}`;
  const act: Act = (operation, input) => ask(hub, owner.ntok, operation, input);
  const { network_id } = owner;
  await ask(hub, owner.utok, updateNetwork, {
    network_id,
    network_name: textAbout('network'),
    description: textAbout('description'),
  });
  await reportAgents(act, textAbout, alias);
  const { task_id: settled } = await act(sendTask, {
    alias,
    task: textAbout('settled task'),
    context: textAbout('context'),
    from_session: textAbout('sender'),
  });
  await act(reportCompletion, {
    alias,
    task: settled,
    result: textAbout('result'),
    artifacts: [textAbout('artifact')],
  });
  const { task_id: failed_task_id } = await act(sendTask, {
    alias,
    task: textAbout('failed task'),
    from_session: textAbout('sender'),
  });
  await act(sendReply, {
    alias: textAbout('sender'),
    text: textAbout('failure'),
    in_reply_to: failed_task_id,
    status: 'failed',
    from_session: alias,
  });
  await sendMuch(act, textAbout, alias);
  const { message_id } = await act(sendMessage, {
    alias,
    message: textAbout('message'),
    from_session: textAbout('sender'),
  });
  const { message_id: mail_id } = await act(sendMessage, {
    alias: 'hub',
    message: textAbout('question'),
    from_session: textAbout('agent'),
  });
  const { task_id } = await act(sendTask, {
    alias,
    task: textAbout('task'),
    context: textAbout('context'),
    from_session: textAbout('sender'),
  });
  const invite = await ask(hub, owner.utok, createInvite, { network_id, max_uses: 100 });
  const { token_id } = await ask(hub, somebody.utok, createToken, { name: textAbout('token'), network_id });
  const { notifier } = await ask(hub, somebody.utok, createNotifier, { ...NOTIFIER, name: textAbout('notifier') });
  return {
    network_id,
    alias,
    task_id,
    failed_task_id,
    message_id,
    mail_id,
    token_id,
    notifier_id: notifier?.notifier_id ?? '',
    user_id: somebody.user_id,
    invite_id: invite.invite_id,
    invite_code: invite.invite_code,
  };
}

async function reportAgents(act: Act, textAbout: TextAbout, alias: string): Promise<void> {
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
  const written = Object.fromEntries(attributes.map((name) => [name, textAbout(name)]));
  const channels = JSON.stringify([textAbout('channel')]);
  await act(reportStatus, { resume_id: textAbout('resume id'), alias, status: 'working', channels, ...written });
  await act(reportStatus, {
    resume_id: textAbout('another resume id'),
    alias: textAbout('agent'),
    status: 'idle',
    ...written,
    node_id: textAbout('another node'),
  });
}

async function sendMuch(act: Act, textAbout: TextAbout, alias: string): Promise<void> {
  const { message_id } = await act(sendMessage, {
    alias,
    message: textAbout('acknowledged message'),
    from_session: textAbout('sender'),
  });
  await act(ackInbox, { alias, message_id, response: textAbout('response') });
  const { task_id: moved } = await act(sendTask, {
    alias: textAbout('agent'),
    task: textAbout('moved task'),
    from_session: textAbout('sender'),
  });
  await act(reassignTask, { task_id: moved, new_alias: alias, from_session: textAbout('dispatcher') });
  const { task_id: cancelled } = await act(sendTask, {
    alias,
    task: textAbout('cancelled task'),
    from_session: textAbout('sender'),
  });
  await act(cancelTask, { task_id: cancelled, reason: textAbout('reason'), from_session: textAbout('dispatcher') });
  await act(sendReply, { alias, text: textAbout('plain reply'), from_session: textAbout('sender') });
  await act(broadcast, { content: textAbout('news'), from_session: textAbout('sender') });
  await act(reportCompletion, {
    alias: textAbout('agent'),
    task: textAbout('finished'),
    result: textAbout('result'),
    artifacts: [textAbout('artifact')],
  });
}
