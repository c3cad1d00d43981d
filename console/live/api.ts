// Every request from the console to the hub, one line each, with the types of the server.
import type { auditRecord } from '../../server/domain/accounts/audit-entry.ts';
import type { inviteRecord } from '../../server/domain/accounts/invite.ts';
import type { UserRecord } from '../../server/domain/accounts/user.ts';
import type { completionRecord } from '../../server/domain/completion.ts';
import type { Finding } from '../../server/domain/health/finding.ts';
import type { messageRecord } from '../../server/domain/message.ts';
import type { InviteRole, NetworkRecord, NetworkRole } from '../../server/domain/network.ts';
import type { Format, Trigger } from '../../server/domain/notifiers/choices.ts';
import type { deliveryRecord, notifierRecord } from '../../server/domain/notifiers/notifier.ts';
import type { SessionStatus, SessionSummary, sessionRecord } from '../../server/domain/session.ts';
import type { TaskRecord, taskMoments } from '../../server/domain/task.ts';
import type { taskEventRecord } from '../../server/domain/task-event.ts';
import type { Outcome, Priority, TaskStatus } from '../../server/domain/task-status.ts';
import { account, endSession } from '../account/account.ts';
import { type Query, RequestError, request } from './request.ts';

/** An agent in the list and on the stream. The hub includes the inbox count only where it is available. */
export type Agent = SessionSummary & { inbox_count?: number };
export type Health = {
  status: string;
  version: string;
  uptime: number;
  setup?: 'open' | 'token' | 'done';
  public_url?: string;
  registration?: 'invite' | 'closed';
};
export type Credentials = { username: string; password: string };
export type SignedIn = { user: UserRecord; token: string; network_id: string | null };
export type Registered = SignedIn & { network_token: string; joined?: Joined };
export type StatusCount = { status: TaskStatus; count: number };
/** In most lists, only the beginning of the texts is loaded. */
export type ListedTask = TaskRecord & { is_outline?: true };
export type TaskPage = { tasks: ListedTask[]; stats?: StatusCount[]; total?: number; next_cursor?: string };
export type AgentPage = { sessions: Agent[]; summary?: AgentCount[]; next_cursor?: string };
export type AgentCount = { status: SessionStatus; count: number };
export type TaskQuery = Partial<
  Record<
    'network_id' | 'to_name' | 'from_name' | 'text' | 'created_after' | 'created_before' | 'cursor',
    string | undefined
  >
> & {
  status?: TaskStatus | undefined;
  priority?: Priority | undefined;
  order?: 'oldest';
  with_total?: 'true' | undefined;
  outline?: 'true' | undefined;
  partial?: 'true' | undefined;
  limit?: number;
};
export type MessageQuery = OfAgent & {
  from_session?: string | undefined;
  pending?: 'true';
  text?: string | undefined;
  type?: 'message' | 'reply';
  without_tasks?: 'true';
  partial?: 'true';
};
export type TaskEventRecord = ReturnType<typeof taskEventRecord>;
export type TaskMoments = ReturnType<typeof taskMoments>;
export type ShownTask = {
  task: TaskRecord;
  moments_ms: TaskMoments;
  events: TaskEventRecord[];
  /** For a task with more than one attempt. */
  replies?: MessageRecord[];
};
export type WhyFacts = {
  assignee_status: SessionStatus | 'unknown';
  assignee_last_seen_at: string | null;
  messages_ahead: number;
};
export type Why = { why: string; facts: WhyFacts };
export type AgentRecord = ReturnType<typeof sessionRecord>;
export type ShownAgent = { session: AgentRecord; inbox_pending: number };
export type MessageRecord = ReturnType<typeof messageRecord>;
export type MessagePage = { messages: MessageRecord[]; next_cursor?: string };
export type CompletionRecord = ReturnType<typeof completionRecord> & { artifacts?: readonly string[] };
export type CompletionPage = { completions: CompletionRecord[]; next_cursor?: string };
export type Bucket = { at: string; sent: number; replied: number; failed: number; cancelled: number; expired: number };
export type Throughput = { until: string; bucket_seconds: number; buckets: Bucket[] };
export type FigureTimes = { tasks: number; p50_ms: number | null; p95_ms: number | null };
export type Figures = {
  since: string;
  until: string;
  queue_age_ms: number | null;
  time_to_start: FigureTimes;
  time_to_settle: FigureTimes;
  settled: Record<'replied' | 'failed' | 'cancelled' | 'expired', number>;
  failure_rate: number | null;
  settled_per_hour: number;
};
/** The bounds are the same for all agents of a page. */
export type AgentFigures = Omit<Figures, 'since' | 'until'> & { alias: string };
export type FiguresPage = Pick<Figures, 'since' | 'until'> & { agents: AgentFigures[]; next_cursor?: string };
export type NewMessage = {
  network_id?: string | undefined;
  alias: string;
  message: string;
  /** The task or message that it answers. */
  in_reply_to?: string;
  from_session?: string | undefined;
  idempotency_key?: string;
};
type InNetwork = { network_id?: string | undefined };
type OfAgent = InNetwork & { alias?: string | undefined; limit?: number; cursor?: string | undefined };
export type NetworkPage = { networks: NetworkRecord[]; next_cursor?: string };
export type NewTask = {
  network_id?: string | undefined;
  alias: string;
  task: string;
  priority: Priority;
  from_session?: string | undefined;
  context?: string | undefined;
  ttl_seconds?: number;
  idempotency_key?: string;
};
export type Sent = { task_id: string; session_status: string; warning?: string };
export type NewToken = { name: string; network_id?: string | undefined; expires_in_days?: number | undefined };
export type TokenRecord = {
  token_id: string;
  name: string;
  kind: 'user' | 'network';
  network_id: string | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  current?: true;
};
export type TokenPage = { tokens: TokenRecord[]; next_cursor?: string };
export type NetworkStats = {
  sessions: { total: number; online: number; offline: number };
  tasks: { total: number } & Record<TaskStatus, number>;
};
export type HubStats = NetworkStats & { networks: number; users: number };
export type Used = { calls: number; refused: number; seconds: number };
export type Diagnostics = {
  findings: Finding[];
  sizes: Record<'database_bytes' | 'disk_free_bytes' | 'growth_bytes', number | null> & { growth_since: string };
  descriptors: { open: number; max: number } | null;
  memory_bytes: number;
  max_connections: number | null;
  streams: number;
  event_loop: { stalls: number; lag_ms: number };
  slowest: { at: string; method: string; route: string; status: number; ms: number }[];
  retention: Record<'keep_events_hours' | 'keep_tasks_days' | 'keep_messages_days' | 'keep_audit_days', number> & {
    last_at: string | null;
    removed: Record<'events' | 'messages' | 'tasks' | 'completions' | 'nodes' | 'audit_entries', number>;
  };
  backup: { last_at: string | null; bytes: number | null };
  networks: (Used & { network_id: string; network_name: string | null })[];
  tokens: (Used & { token_id: string; name: string | null; username: string | null })[];
};
export type ShownNetwork = {
  network: NetworkRecord & { description: string; member_count: number };
  stats: NetworkStats & { nodes: number };
};
export type NetworkChanges = { network_name?: string; description?: string; max_members?: number };
export type MemberRecord = {
  user_id: string;
  username: string;
  display_name: string;
  role: NetworkRole;
  joined_at: string;
};
export type MemberPage = { members: MemberRecord[]; next_cursor?: string };
export type InviteRecord = ReturnType<typeof inviteRecord>;
export type InvitePage = { invites: InviteRecord[]; next_cursor?: string };
export type NewInvite = { role: InviteRole; max_uses: number; expires_in_days: number };
export type Invitation = { network_name: string; role: InviteRole; owner_name: string; expires_at: string };
export type Joined = { network_id: string; network_name: string; role: NetworkRole; network_token: string };
export type UserRow = UserRecord & { email: string | null; created_at: string; disabled?: true };
export type UserPage = { users: UserRow[]; next_cursor?: string };
export type AuditRecord = ReturnType<typeof auditRecord>;
export type AuditPage = { entries: AuditRecord[]; next_cursor?: string };
export type NewReply = InNetwork & {
  text: string;
  status: Outcome;
  from_session?: string | undefined;
  alias?: string | undefined;
};
export type NotifierRecord = ReturnType<typeof notifierRecord>;
export type NotifierPage = { notifiers: NotifierRecord[]; next_cursor?: string };
/** Quiet hours are times, or `none`. */
export type NotifierSettings = {
  url?: string | undefined;
  name: string;
  triggers: readonly Trigger[];
  unfetched_minutes: number;
  rate_limit: number;
  quiet_from: string;
  quiet_until: string;
  time_zone: string;
  enabled: boolean;
};
export type NewNotifier = NotifierSettings & { format: Format; url: string; network_id?: string | undefined };
export type DeliveryRecord = ReturnType<typeof deliveryRecord>;
export type DeliveryPage = { deliveries: DeliveryRecord[]; next_cursor?: string };
export type TestResult = Pick<DeliveryRecord, 'error' | 'response_status'>;
type Paged = { limit?: number; cursor?: string | undefined };
type TaskAction = Record<string, string | undefined>;

export const health = () => request<Health>('GET', '/health');
export const previewInvite = (invite_code: string) =>
  request<Invitation>('POST', '/api/networks/preview', { body: { invite_code } });
export const register = (body: Credentials & { invite_code?: string | undefined }, token?: string) =>
  request<Registered>('POST', '/api/auth/register', { body, token });
export const login = (body: Credentials) => request<SignedIn>('POST', '/api/auth/login', { body });
export const listNetworks = (query: Paged) => read<NetworkPage>('/api/networks', query);
export const listAgents = (query: Paged & InNetwork & { with_summary?: 'true' | undefined }) =>
  read<AgentPage>('/api/status', query);
export const listTasks = (query: TaskQuery, signal?: AbortSignal) => read<TaskPage>('/api/tasks', query, signal);
export const showTask = (id: string, query: InNetwork) =>
  read<ShownTask>(`/api/tasks/${encodeURIComponent(id)}`, query);
export const whyTask = (id: string, query: InNetwork) => read<Why>(`/api/tasks/${encodeURIComponent(id)}/why`, query);
export const listTaskEvents = (query: Paged & InNetwork & { task_id?: string | undefined }) =>
  read<{ events: TaskEventRecord[]; next_cursor?: string }>('/api/task_events', query);
export const showAgent = (alias: string, query: InNetwork) => read<ShownAgent>('/api/session', { ...query, alias });
export const listMessages = (query: MessageQuery, signal?: AbortSignal) =>
  read<MessagePage>('/api/messages', query, signal);
export const showMessage = (id: string, query: InNetwork) =>
  read<{ message: MessageRecord }>(`/api/messages/${encodeURIComponent(id)}`, query);
export const listCompletions = (query: OfAgent) => read<CompletionPage>('/api/completions', query);
export const throughput = (query: InNetwork & { hours: number }) => read<Throughput>('/api/stats/throughput', query);
export const figures = (query: InNetwork & { alias?: string | undefined; hours: number }) =>
  read<Figures>('/api/stats/figures', query);
export const listFigures = (query: Paged & InNetwork & { hours: number }) =>
  read<FiguresPage>('/api/stats/agents', query);
export const sendMessage = (message: NewMessage) => write<Sent>('/api/messages', message);
export const readMessages = (body: InNetwork & { message_ids: readonly string[] }) =>
  write<{ read: number }>('/api/messages/read', body);
export const sendTask = (task: NewTask) => write<Sent>('/api/tasks', task);
export const cancelTask = (id: string, body: TaskAction) =>
  write<{ cancelled: boolean }>(`/api/tasks/${encodeURIComponent(id)}/cancel`, body);
export const retryTask = (id: string, body: TaskAction) =>
  write<{ retried_to: string }>(`/api/tasks/${encodeURIComponent(id)}/retry`, body);
export const reassignTask = (id: string, body: TaskAction) =>
  write<{ reassigned_to: string }>(`/api/tasks/${encodeURIComponent(id)}/reassign`, body);
export const sendReply = (id: string, reply: NewReply) =>
  write<Sent>(`/api/tasks/${encodeURIComponent(id)}/reply`, reply);
export const broadcast = (wanted: InNetwork & { content: string; from_session?: string | undefined }) =>
  write<{ delivered_count: number }>('/api/broadcast', wanted);

export const createNetwork = (wanted: { name: string; description: string }) =>
  write<{ network_id: string }>('/api/networks', wanted);
export const joinNetwork = (invite_code: string) => write<Joined>('/api/networks/join', { invite_code });
export const showNetwork = (id: string) => read<ShownNetwork>(ofNetwork(id));
export const changeNetwork = (id: string, changes: NetworkChanges) => replace<unknown>(ofNetwork(id), changes);
export const deleteNetwork = (id: string) => remove<unknown>(ofNetwork(id));
export const listMembers = (id: string, query: Paged) => read<MemberPage>(`${ofNetwork(id)}/members`, query);
export const changeMember = (id: string, user_id: string, role: NetworkRole) =>
  replace<unknown>(`${ofNetwork(id)}/members/${encodeURIComponent(user_id)}`, { role });
export const removeMember = (id: string, user_id: string) =>
  remove<unknown>(`${ofNetwork(id)}/members/${encodeURIComponent(user_id)}`);
export const listInvites = (id: string, query: Paged) => read<InvitePage>(`${ofNetwork(id)}/invites`, query);
export const createInvite = (id: string, wanted: NewInvite) =>
  write<{ invite_code: string }>(`${ofNetwork(id)}/invite`, wanted);
export const withdrawInvite = (id: string, invite_id: string) =>
  remove<unknown>(`${ofNetwork(id)}/invites/${encodeURIComponent(invite_id)}`);

export const createToken = (wanted: NewToken) => write<{ token: string; token_id: string }>('/api/tokens', wanted);
export const listTokens = (query: Paged) => read<TokenPage>('/api/tokens', query);
export const revokeToken = (id: string) => remove<unknown>(`/api/tokens/${encodeURIComponent(id)}`);
export const listNotifiers = (query: Paged & InNetwork) => read<NotifierPage>('/api/notifiers', query);
export const createNotifier = (wanted: NewNotifier) =>
  write<{ notifier: NotifierRecord; secret?: string }>('/api/notifiers', wanted);
export const changeNotifier = (id: string, changes: NotifierSettings) => replace<unknown>(ofNotifier(id), changes);
export const deleteNotifier = (id: string) => remove<unknown>(ofNotifier(id));
export const testNotifier = (id: string) => write<TestResult>(`${ofNotifier(id)}/test`, {});
export const listDeliveries = (id: string, query: Paged) => read<DeliveryPage>(`${ofNotifier(id)}/deliveries`, query);
export const changeMe = (display_name: string) => replace<{ user: UserRecord }>('/api/auth/me', { display_name });
export const changePassword = (body: { old_password: string; new_password: string }) =>
  write<unknown>('/api/auth/password', body);
export const listUsers = (query: Paged) => read<UserPage>('/api/users', query);
export const showHub = () => read<HubStats>('/api/stats', { scope: 'hub' });
export const showDiagnostics = () => read<Diagnostics>('/api/diagnostics');
export const listAuditLog = (query: Paged & { action?: string | undefined; actor?: string | undefined }) =>
  read<AuditPage>('/api/audit-log', query);

const ofNotifier = (id: string) => `/api/notifiers/${encodeURIComponent(id)}`;
const ofNetwork = (id: string) => `/api/networks/${encodeURIComponent(id)}`;

const read = <Answer>(path: string, query: Query = {}, signal?: AbortSignal) =>
  signedIn((token) => request<Answer>('GET', path, { token, query, ...(signal && { signal }) }));
const write = <Answer>(path: string, body: object) =>
  signedIn((token) => request<Answer>('POST', path, { token, body }));
const replace = <Answer>(path: string, body: object) =>
  signedIn((token) => request<Answer>('PUT', path, { token, body }));
const remove = <Answer>(path: string) => signedIn((token) => request<Answer>('DELETE', path, { token }));

/** A rejected token ends the session it belongs to, but not a session started in the meantime. */
async function signedIn<Answer>(call: (token: string | undefined) => Promise<Answer>): Promise<Answer> {
  const token = account.value?.token;
  try {
    return await call(token);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'unauthorized' && token === account.value?.token)
      endSession('expired');
    throw error;
  }
}
