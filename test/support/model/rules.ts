// The expected effect of every write operation, from the tables of SPECIFICATION.md §3 to §5. A rule returns the
// expected result or error, and changes the model state. A rule that rejects changes nothing.
import {
  attemptOf,
  endAttempt,
  inboxOf,
  isLive,
  isPending,
  type ModelState,
  type Net,
  type Outcome,
  put,
  putAttempt,
  SECOND,
  type Session,
  type SessionStatus,
  see,
  sessionOf,
  type Task,
  taskBy,
  wasSeenRecently,
} from './state.ts';

/** `learns` gets the response, which contains ids that only the hub can assign. */
export type Expected =
  | { error: string }
  | { result: object; learns?: (response: Readonly<Record<string, unknown>>) => void };

const TERMINAL = { error: 'task is terminal' };
const NO_TASK = { error: 'task not found' };

export type Report = { resume_id: string; alias: string; status: SessionStatus; task?: string };

export function reportStatus(state: ModelState, net: Net, report: Report): Expected {
  const own = net.sessions.find(({ resume_id }) => resume_id === report.resume_id);
  const holder = net.sessions.find(({ alias, resume_id }) => alias === report.alias && resume_id !== report.resume_id);
  const warns = holder !== undefined && wasSeenRecently(state, holder);
  if (own !== undefined && own.alias !== report.alias) rename(net, own.alias, report.alias);
  net.sessions = net.sessions.filter((session) => session !== holder && session !== own);
  const task = report.task === undefined ? (own?.task ?? null) : report.task || null;
  net.sessions.push({
    resume_id: report.resume_id,
    alias: report.alias,
    status: report.status,
    isSilent: false,
    lastSeen: state.now,
    task,
  });
  const named = report.status === 'working' && report.task ? namedBy(net, report.alias, report.task) : undefined;
  if (named?.status === 'delivered') start(state, named);
  const response = {
    ok: true,
    resume_id: report.resume_id,
    alias: report.alias,
    inbox_count: inboxOf(net, report.alias).length,
  };
  return { result: { ...response, ...(warns && { warning: 'alias was in use' }) } };
}

// Pending messages and live tasks move, including sent ones, and so does the delivery history of the agent.
function rename(net: Net, from: string, to: string): void {
  for (const message of net.messages)
    if (message.alias === from && (isPending(message) || message.type === 'task')) message.alias = to;
  for (const task of net.tasks.filter(isLive)) {
    if (task.to === from) task.to = to;
    if (task.from === from && from !== 'hub') renameSender(net, task, to);
  }
}

function renameSender(net: Net, task: Task, to: string): void {
  task.from = to;
  for (const message of net.messages)
    if (message.type === 'task' && message.task === task && !message.isWithdrawn) message.from = to;
}

export function reportCompletion(
  state: ModelState,
  net: Net,
  { alias, task: words, result }: { alias: string; task: string; result: string },
): Expected {
  const task = namedBy(net, alias, words);
  net.completions.push({ alias, task: words, result });
  const session = sessionOf(net, alias);
  if (session !== undefined)
    Object.assign(session, {
      status: 'idle',
      isSilent: false,
      lastSeen: state.now,
      task: null,
    } satisfies Partial<Session>);
  if (task !== undefined && isLive(task)) {
    endAttempt(net, task, { status: 'replied', result, completed: state.now });
    put(state, net, {
      alias: task.from,
      type: 'reply',
      content: result,
      from: alias,
      task,
      attempt: task.attempt,
      status: 'replied',
    });
  }
  return { result: { ok: true } };
}

/**
 * The task that a text identifies: its task_id, the message id of its current attempt, or the unique content of a live
 * task.
 */
function namedBy(net: Net, alias: string, words: string): Task | undefined {
  const byId = taskBy(net, words);
  if (byId !== undefined)
    return byId.to === alias && (byId.id === words || attemptOf(net, byId)?.id === words) ? byId : undefined;
  const [only, ...others] = net.tasks.filter((task) => task.to === alias && isLive(task) && task.content === words);
  return others.length > 0 ? undefined : only;
}

function start(state: ModelState, task: Task): void {
  Object.assign(task, { status: 'running', started: state.now } satisfies Partial<Task>);
}

export function ackInbox(
  state: ModelState,
  net: Net,
  { alias, message_id: id }: { alias: string; message_id: string },
): Expected {
  const task = net.tasks.find((each) => each.id === id);
  const live = task && isLive(task) ? attemptOf(net, task) : undefined;
  const message = live?.alias === alias ? live : net.messages.find((each) => each.id === id && each.alias === alias);
  if (message === undefined) return { error: 'message not found or not yours' };
  const ofAttempt = message.task !== undefined && attemptOf(net, message.task) === message ? message.task : undefined;
  const warns = message.isAcked && ofAttempt?.status === 'running';
  message.isAcked = true;
  if (ofAttempt?.status === 'delivered') start(state, ofAttempt);
  see(state, net, alias);
  return { result: { ok: true, ...(warns && { warning: 'it runs already' }) } };
}

export function sendAck(state: ModelState, net: Net, { task_id }: { task_id: string }): Expected {
  const task = taskBy(net, task_id);
  if (task === undefined) return NO_TASK;
  if (!isLive(task)) return TERMINAL;
  const updated = task.status === 'delivered' ? 1 : 0;
  if (updated === 1) start(state, task);
  return { result: { ok: true, task_id: task.id, updated } };
}

export function retryTask(state: ModelState, net: Net, { task_id }: { task_id: string }): Expected {
  const task = taskBy(net, task_id);
  if (task === undefined) return NO_TASK;
  if (isLive(task) || task.status === 'replied') return { error: `task status is ${task.status}, not retryable` };
  Object.assign(task, {
    status: 'delivered',
    attempt: task.attempt + 1,
    result: null,
    started: null,
    completed: null,
    delivered: state.now,
    expires: state.now + task.ttl * SECOND,
  } satisfies Partial<Task>);
  putAttempt(state, net, task);
  return { result: { ok: true, task_id: task.id, retried_to: task.to } };
}

export function cancelTask(
  state: ModelState,
  net: Net,
  { task_id, reason, from_session: from }: { task_id: string; reason?: string; from_session: string },
): Expected {
  const task = taskBy(net, task_id);
  if (task === undefined) return NO_TASK;
  if (!isLive(task)) return TERMINAL;
  const priority = task.status === 'running' ? 'high' : 'normal';
  endAttempt(net, task, { status: 'cancelled', result: reason ?? null, completed: state.now });
  put(state, net, {
    alias: task.to,
    type: 'cancel',
    priority,
    content: reason ?? '',
    from,
    task,
    attempt: task.attempt,
  });
  return { result: { ok: true, task_id: task.id, cancelled: true } };
}

type Reassignment = { task_id: string; new_alias: string; from_session: string };

export function reassignTask(
  state: ModelState,
  net: Net,
  { task_id, new_alias: to, from_session: from }: Reassignment,
): Expected {
  const task = taskBy(net, task_id);
  if (task === undefined) return NO_TASK;
  if (!isLive(task)) return TERMINAL;
  const priority = task.status === 'running' ? 'high' : 'normal';
  const before = { alias: task.to, attempt: task.attempt, priority } as const;
  endAttempt(net, task, { status: 'delivered', to, attempt: task.attempt + 1, delivered: state.now, started: null });
  putAttempt(state, net, task);
  put(state, net, { ...before, type: 'cancel', content: '', from, task });
  return {
    result: {
      ok: true,
      task_id: task.id,
      reassigned_from: before.alias,
      reassigned_to: to,
      ...(task.expires <= state.now && { warning: 'its time is up' }),
    },
  };
}

export type Reply = { alias: string; text: string; in_reply_to?: string; status?: Outcome; from_session: string };

/** Settles the task that a reply names. Returns the error, or what the reply refers to. */
export function settle(state: ModelState, net: Net, reply: Reply): { error: string } | { task?: Task; about?: string } {
  const { in_reply_to: id, from_session: from, status = 'replied', text } = reply;
  if (id === undefined) return {};
  const task = taskBy(net, id);
  if (task === undefined) return net.messages.some((message) => message.id === id) ? { about: id } : NO_TASK;
  const isTakenBack = id === task.id ? isFormerAssignee(net, task, from) : attemptOf(net, task)?.id !== id;
  if (isTakenBack || !isLive(task)) return TERMINAL;
  endAttempt(net, task, { status, result: text, completed: state.now });
  return { task };
}

function isFormerAssignee(net: Net, task: Task, alias: string): boolean {
  return (
    alias !== task.to &&
    net.messages.some((message) => message.type === 'task' && message.task === task && message.alias === alias)
  );
}
