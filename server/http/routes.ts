// The table of REST endpoints: method, path, operation.
import { changePassword } from '../operations/accounts/change-password.ts';
import { listUsers } from '../operations/accounts/list-users.ts';
import { login } from '../operations/accounts/login.ts';
import { me } from '../operations/accounts/me.ts';
import { register } from '../operations/accounts/register.ts';
import { updateMe } from '../operations/accounts/update-me.ts';
import { clientHook } from '../operations/agents/client-hook.ts';
import { wakeHook } from '../operations/agents/wake-hook.ts';
import { listCompletions } from '../operations/completions/get-completions.ts';
import { broadcast } from '../operations/messages/broadcast.ts';
import { listMessages } from '../operations/messages/list-messages.ts';
import { readMessages } from '../operations/messages/read-messages.ts';
import { sendMessage } from '../operations/messages/send-message.ts';
import { replyToTask } from '../operations/messages/send-reply.ts';
import { showMessage } from '../operations/messages/show-message.ts';
import { changeMember } from '../operations/networks/change-member.ts';
import { createInvite } from '../operations/networks/create-invite.ts';
import { createNetwork } from '../operations/networks/create-network.ts';
import { deleteNetwork } from '../operations/networks/delete-network.ts';
import { getNetwork } from '../operations/networks/get-network.ts';
import { joinNetwork } from '../operations/networks/join-network.ts';
import { listInvites } from '../operations/networks/list-invites.ts';
import { listMembers } from '../operations/networks/list-members.ts';
import { listNetworks } from '../operations/networks/list-networks.ts';
import { previewInvite } from '../operations/networks/preview-invite.ts';
import { removeMember } from '../operations/networks/remove-member.ts';
import { updateNetwork } from '../operations/networks/update-network.ts';
import { withdrawInvite } from '../operations/networks/withdraw-invite.ts';
import { createNotifier } from '../operations/notifiers/create-notifier.ts';
import { deleteNotifier } from '../operations/notifiers/delete-notifier.ts';
import { listDeliveries } from '../operations/notifiers/list-deliveries.ts';
import { listNotifiers } from '../operations/notifiers/list-notifiers.ts';
import { testNotifier } from '../operations/notifiers/test-notifier.ts';
import { updateNotifier } from '../operations/notifiers/update-notifier.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { getDiagnostics } from '../operations/records/get-diagnostics.ts';
import { getFigures } from '../operations/records/get-figures.ts';
import { getStats } from '../operations/records/get-stats.ts';
import { getThroughput } from '../operations/records/get-throughput.ts';
import { health } from '../operations/records/health.ts';
import { listAuditLog } from '../operations/records/list-audit-log.ts';
import { listFigures } from '../operations/records/list-figures.ts';
import { listNodes } from '../operations/records/list-nodes.ts';
import { listTaskEvents } from '../operations/records/list-task-events.ts';
import { healthLive, healthReady } from '../operations/records/probes.ts';
import { listSessions } from '../operations/sessions/get-all-status.ts';
import { getSessionStatus, showSession } from '../operations/sessions/get-session-status.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { queryTasks } from '../operations/tasks/list-tasks.ts';
import { reassignTask } from '../operations/tasks/reassign-task.ts';
import { retryTask } from '../operations/tasks/retry-task.ts';
import { sendAck } from '../operations/tasks/send-ack.ts';
import { sendTask } from '../operations/tasks/send-task.ts';
import { showTask } from '../operations/tasks/show-task.ts';
import { whyTask } from '../operations/tasks/why-task.ts';
import { createToken } from '../operations/tokens/create-token.ts';
import { listTokens } from '../operations/tokens/list-tokens.ts';
import { revokeToken } from '../operations/tokens/revoke-token.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Route = readonly [method: Method, path: string, operation: AnyOperation];

export const ROUTES: readonly Route[] = [
  ['GET', '/health', health],
  ['GET', '/health/live', healthLive],
  ['GET', '/health/ready', healthReady],

  ['POST', '/api/auth/register', register],
  ['POST', '/api/auth/login', login],
  ['GET', '/api/auth/me', me],
  ['PUT', '/api/auth/me', updateMe],
  ['POST', '/api/auth/password', changePassword],

  ['GET', '/api/networks', listNetworks],
  ['POST', '/api/networks', createNetwork],
  ['POST', '/api/networks/join', joinNetwork],
  ['POST', '/api/networks/preview', previewInvite],
  ['GET', '/api/networks/:network_id', getNetwork],
  ['PUT', '/api/networks/:network_id', updateNetwork],
  ['DELETE', '/api/networks/:network_id', deleteNetwork],
  ['GET', '/api/networks/:network_id/members', listMembers],
  ['PUT', '/api/networks/:network_id/members/:user_id', changeMember],
  ['DELETE', '/api/networks/:network_id/members/:user_id', removeMember],
  ['POST', '/api/networks/:network_id/invite', createInvite],
  ['GET', '/api/networks/:network_id/invites', listInvites],
  ['DELETE', '/api/networks/:network_id/invites/:invite_id', withdrawInvite],

  ['GET', '/api/status', listSessions],
  ['GET', '/api/status/:alias', getSessionStatus],
  ['GET', '/api/session', showSession],
  ['GET', '/api/tasks', queryTasks],
  ['POST', '/api/tasks', sendTask],
  ['GET', '/api/tasks/:task_id', showTask],
  ['GET', '/api/tasks/:task_id/why', whyTask],
  ['POST', '/api/tasks/:task_id/reply', replyToTask],
  ['POST', '/api/tasks/:task_id/ack', sendAck],
  ['POST', '/api/tasks/:task_id/cancel', cancelTask],
  ['POST', '/api/tasks/:task_id/retry', retryTask],
  ['POST', '/api/tasks/:task_id/reassign', reassignTask],
  ['GET', '/api/messages', listMessages],
  ['POST', '/api/messages', sendMessage],
  ['GET', '/api/messages/:message_id', showMessage],
  ['POST', '/api/messages/read', readMessages],
  ['POST', '/api/broadcast', broadcast],
  ['GET', '/api/nodes', listNodes],
  ['GET', '/api/completions', listCompletions],
  ['GET', '/api/task_events', listTaskEvents],

  ['GET', '/api/stats', getStats],
  ['GET', '/api/stats/throughput', getThroughput],
  ['GET', '/api/stats/figures', getFigures],
  ['GET', '/api/stats/agents', listFigures],
  ['GET', '/api/diagnostics', getDiagnostics],
  ['GET', '/api/audit-log', listAuditLog],
  ['GET', '/api/users', listUsers],
  ['POST', '/api/tokens', createToken],
  ['GET', '/api/tokens', listTokens],
  ['DELETE', '/api/tokens/:token_id', revokeToken],

  ['GET', '/api/notifiers', listNotifiers],
  ['POST', '/api/notifiers', createNotifier],
  ['PUT', '/api/notifiers/:notifier_id', updateNotifier],
  ['DELETE', '/api/notifiers/:notifier_id', deleteNotifier],
  ['POST', '/api/notifiers/:notifier_id/test', testNotifier],
  ['GET', '/api/notifiers/:notifier_id/deliveries', listDeliveries],

  ['POST', '/hooks/wake', wakeHook],
  ['POST', '/hooks/:client', clientHook],
];

/** Fields that a request with a body may pass in its query, because the sender cannot choose the body. */
export const IN_QUERY: Readonly<Record<string, readonly string[]>> = {
  '/hooks/wake': ['alias', 'network_id'],
  '/hooks/:client': ['alias', 'network_id'],
};
