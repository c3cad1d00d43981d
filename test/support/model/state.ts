// The model state of a hub, as plain data, and the effects of time on it: SPECIFICATION.md §3 to §5 in minimal form. It
// is independent of the hub's implementation.
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

const OFFLINE_AFTER = 10 * MINUTE;
const GRACE_AFTER_START = 3 * MINUTE;

export type SessionStatus = 'working' | 'idle' | 'blocked' | 'error' | 'waiting_input' | 'offline';
export type Priority = 'high' | 'normal' | 'low';
export type Outcome = 'replied' | 'failed' | 'cancelled';
export type TaskStatus = 'delivered' | 'running' | 'expired' | Outcome;

export type Session = {
  resume_id: string;
  alias: string;
  /** As last reported. Silence is tracked separately. */
  status: SessionStatus;
  isSilent: boolean;
  lastSeen: number;
  task: string | null;
};

export type Task = {
  id: string;
  from: string;
  to: string;
  priority: Priority;
  status: TaskStatus;
  content: string;
  result: string | null;
  attempt: number;
  ttl: number;
  created: number;
  delivered: number;
  started: number | null;
  completed: number | null;
  expires: number;
};

export type Message = {
  /** Unknown until a response or an inbox shows it. */
  id: string | undefined;
  alias: string;
  type: 'task' | 'message' | 'reply' | 'broadcast' | 'cancel';
  priority: Priority;
  content: string;
  from: string;
  created: number;
  task?: Task;
  attempt?: number;
  /** The plain message that a reply refers to. */
  about?: string;
  status?: Outcome;
  isAcked: boolean;
  isWithdrawn: boolean;
  fetched: number | null;
};

export type Completion = { alias: string; task: string; result: string };

/** One network. Lists are in order of arrival. */
export type Net = { id: string; sessions: Session[]; tasks: Task[]; messages: Message[]; completions: Completion[] };

export type ModelState = {
  now: number;
  startedAt: number;
  nets: Net[];
  /** Every id a response ever contained, latest last. */
  knownIds: string[];
  /** For the loop guard, which is lost when the hub stops. */
  sends: { key: string; at: number }[];
  /** First responses by token and idempotency key. */
  responses: Map<string, { call: string; response: object; at: number }>;
};

export function newNet(id: string): Net {
  return { id, sessions: [], tasks: [], messages: [], completions: [] };
}

export function newModelState(now: number, nets: Net[]): ModelState {
  return { now, startedAt: now, nets, knownIds: [], sends: [], responses: new Map() };
}

/** Expiry applies at once, for every reader and every guard. */
export function expireDue(state: ModelState): void {
  for (const net of state.nets) {
    for (const session of net.sessions) if (isOverdueToBeSeen(state, session)) session.isSilent = true;
    for (const task of net.tasks)
      if (isOver(state, net, task)) endAttempt(net, task, { status: 'expired', completed: state.now });
  }
}

function isOverdueToBeSeen({ now, startedAt }: ModelState, session: Session): boolean {
  const isSpared = now < startedAt + GRACE_AFTER_START && session.lastSeen < startedAt;
  return session.status !== 'offline' && now - session.lastSeen > OFFLINE_AFTER && !isSpared;
}

// The ttl limits the time until the start, the heartbeat limits the work.
function isOver({ now }: ModelState, net: Net, task: Task): boolean {
  if (now < task.expires) return false;
  const assignee = sessionOf(net, task.to);
  return task.status === 'delivered' || (task.status === 'running' && (assignee === undefined || !isOnline(assignee)));
}

export function isOnline(session: Session): boolean {
  return presentStatus(session) !== 'offline';
}

export function presentStatus({ status, isSilent }: Session): SessionStatus {
  return isSilent ? 'offline' : status;
}

export function wasSeenRecently({ now }: ModelState, session: Session): boolean {
  return now - session.lastSeen <= OFFLINE_AFTER;
}

export function sessionOf(net: Net, alias: string): Session | undefined {
  return net.sessions.find((session) => session.alias === alias);
}

/** A heartbeat of an alias, if it has a session. */
export function see(state: ModelState, net: Net, alias: string): void {
  const session = sessionOf(net, alias);
  if (session === undefined) return;
  session.lastSeen = state.now;
  session.isSilent = false;
}

export function isLive(task: Task): boolean {
  return task.status === 'delivered' || task.status === 'running';
}

export function isPending(message: Message): boolean {
  return !message.isAcked && !message.isWithdrawn;
}

const RANK = { high: 0, normal: 1, low: 2 } as const;

/** By priority, then by arrival. */
export function inboxOf(net: Net, alias: string): Message[] {
  return net.messages
    .filter((message) => message.alias === alias && isPending(message))
    .sort((one, other) => RANK[one.priority] - RANK[other.priority]);
}

/** The inbox message of a task's current attempt. */
export function attemptOf(net: Net, task: Task): Message | undefined {
  return net.messages.find(
    (message) => message.type === 'task' && message.task === task && message.attempt === task.attempt,
  );
}

export function endAttempt(net: Net, task: Task, change: Partial<Task>): void {
  const message = attemptOf(net, task);
  if (message !== undefined) message.isWithdrawn = true;
  Object.assign(task, change);
}

const HALTED: readonly SessionStatus[] = ['waiting_input', 'blocked', 'error'];

/** The priority of an answer to this message, if it answers one. */
export function answerPriority(net: Net, to: string, answered?: Message): Priority {
  const session = sessionOf(net, to);
  const isHalted = session !== undefined && HALTED.includes(session.status);
  return isHalted || (answered?.type === 'message' && answered.from === to) ? 'high' : 'normal';
}

/** A full page of urgent tasks gives all places but one to the latest urgent messages that are no tasks. */
export function inboxPage(net: Net, alias: string, limit: number): Message[] {
  const all = inboxOf(net, alias);
  const page = all.slice(0, limit);
  const isUrgent = ({ priority }: Message): boolean => priority === 'high';
  if (page.length < limit || !page.every((message) => message.type === 'task' && isUrgent(message))) return page;
  const awaited = all.filter((message) => message.type !== 'task' && isUrgent(message)).slice(-Math.max(1, limit - 1));
  return [...page.slice(0, limit - awaited.length), ...awaited];
}

/** Adds a message to an inbox, with normal priority unless another one is given. */
export function put(
  state: ModelState,
  net: Net,
  message: Pick<Message, 'alias' | 'type' | 'content' | 'from'> & Partial<Message>,
): Message {
  const whole: Message = {
    id: undefined,
    priority: 'normal',
    created: state.now,
    isAcked: false,
    isWithdrawn: false,
    fetched: null,
    ...message,
  };
  net.messages.push(whole);
  return whole;
}

/** The current attempt of a task. */
export function putAttempt(state: ModelState, net: Net, task: Task): Message {
  return put(state, net, {
    alias: task.to,
    type: 'task',
    priority: task.priority,
    content: task.content,
    from: task.from,
    task,
    attempt: task.attempt,
  });
}

/** By its task_id, or by the message id of any of its attempts. */
export function taskBy(net: Net, id: string): Task | undefined {
  return (
    net.tasks.find((task) => task.id === id) ??
    net.messages.find((message) => message.type === 'task' && message.id === id)?.task
  );
}
