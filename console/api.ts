// Every call the console makes to the hub, one line each, with the hub's own types.
import type { NetworkRecord } from '../server/domain/network.ts';
import type { SessionSummary } from '../server/domain/session.ts';
import type { Priority, TaskRecord, TaskStatus } from '../server/domain/task.ts';
import type { UserRecord } from '../server/domain/user.ts';
import { account, endSession } from './account.ts';
import { type Query, request, RequestError } from './request.ts';

/** An agent as the list and the stream show it; the count of its waiting messages comes where the hub has it at hand. */
export type Agent = SessionSummary & { inbox_count?: number };
export type Health = { status: string; version: string; uptime: number; setup?: 'open' | 'token' | 'done' };
export type Credentials = { username: string; password: string };
export type SignedIn = { user: UserRecord; token: string; network_id: string | null };
export type Registered = SignedIn & { network_token: string };
export type StatusCount = { status: TaskStatus; count: number };
export type TaskPage = { tasks: TaskRecord[]; stats?: StatusCount[]; next_cursor?: string };
export type AgentPage = { sessions: Agent[]; next_cursor?: string };
export type TaskQuery = { network_id?: string | undefined; status?: TaskStatus | undefined; limit?: number; cursor?: string | undefined };
export type Networks = { networks: NetworkRecord[] };
export type NewTask = { network_id?: string | undefined; alias: string; task: string; priority: Priority; from_session?: string | undefined };
export type Sent = { task_id: string; session_status: string; warning?: string };
export type NewToken = { name: string; network_id?: string | undefined };
type Act = Record<string, string | undefined>;

export const health = () => request<Health>('GET', '/health');
export const register = (body: Credentials, token?: string) => request<Registered>('POST', '/api/auth/register', { body, token });
export const login = (body: Credentials) => request<SignedIn>('POST', '/api/auth/login', { body });
export const listNetworks = () => read<Networks>('/api/networks');
export const listAgents = (query: { network_id?: string | undefined; cursor?: string | undefined }) => read<AgentPage>('/api/status', query);
export const listTasks = (query: TaskQuery) => read<TaskPage>('/api/tasks', query);
export const sendTask = (task: NewTask) => write<Sent>('/api/tasks', task);
export const cancelTask = (id: string, act: Act) => write<{ cancelled: boolean }>(`/api/tasks/${encodeURIComponent(id)}/cancel`, act);
export const retryTask = (id: string, act: Act) => write<{ retried_to: string }>(`/api/tasks/${encodeURIComponent(id)}/retry`, act);
export const createToken = (wanted: NewToken) => write<{ token: string }>('/api/tokens', wanted);

const read = <Answer>(path: string, query: Query = {}) => signedIn((token) => request<Answer>('GET', path, { token, query }));
const write = <Answer>(path: string, body: object) => signedIn((token) => request<Answer>('POST', path, { token, body }));

/** A refused token ends the session it came from, not one begun in the meantime. */
async function signedIn<Answer>(call: (token: string | undefined) => Promise<Answer>): Promise<Answer> {
  const token = account.value?.token;
  try {
    return await call(token);
  } catch (error) {
    if (error instanceof RequestError && error.status === 401 && token === account.value?.token) endSession('expired');
    throw error;
  }
}
