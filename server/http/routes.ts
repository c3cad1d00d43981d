// Every REST endpoint on one page: method, path, operation.
import type { AnyOperation } from '../operations/operation.ts';
import { login } from '../operations/accounts/login.ts';
import { me } from '../operations/accounts/me.ts';
import { register } from '../operations/accounts/register.ts';
import { broadcast } from '../operations/messages/broadcast.ts';
import { sendMessage } from '../operations/messages/send-message.ts';
import { health } from '../operations/records/health.ts';
import { listSessions } from '../operations/sessions/get-all-status.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { getTask } from '../operations/tasks/get-task.ts';
import { queryTasks } from '../operations/tasks/list-tasks.ts';
import { reassignTask } from '../operations/tasks/reassign-task.ts';
import { retryTask } from '../operations/tasks/retry-task.ts';
import { sendAck } from '../operations/tasks/send-ack.ts';
import { sendTask } from '../operations/tasks/send-task.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Route = readonly [method: Method, path: string, operation: AnyOperation];

export const ROUTES: readonly Route[] = [
  ['GET', '/health', health],

  ['POST', '/api/auth/register', register],
  ['POST', '/api/auth/login', login],
  ['GET', '/api/auth/me', me],

  ['GET', '/api/status', listSessions],
  ['GET', '/api/tasks', queryTasks],
  ['POST', '/api/tasks', sendTask],
  ['GET', '/api/tasks/:task_id', getTask],
  ['POST', '/api/tasks/:task_id/ack', sendAck],
  ['POST', '/api/tasks/:task_id/cancel', cancelTask],
  ['POST', '/api/tasks/:task_id/retry', retryTask],
  ['POST', '/api/tasks/:task_id/reassign', reassignTask],
  ['POST', '/api/messages', sendMessage],
  ['POST', '/api/broadcast', broadcast],
];
