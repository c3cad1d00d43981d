// Checks that a successful response comes from a hub: it has `ok` and the members that commands read. Any other 200
// response comes from a different server.

type Kind = 'string' | 'number' | 'object' | 'array';
type Members = Readonly<Record<string, Kind>>;

const TASK: Members = { task_id: 'string' };

/** The responses without `ok`. */
const PLAIN: Readonly<Record<string, Members>> = {
  'GET /health': { status: 'string', version: 'string' },
  'GET /api/status': { sessions: 'array' },
  'GET /api/stats': { sessions: 'object', tasks: 'object' },
};

/** The members in addition to `ok`. */
const MEMBERS: Readonly<Record<string, Members>> = {
  'POST /api/auth/login': { user: 'object', token: 'string' },
  'GET /api/auth/me': { user: 'object' },
  'GET /api/networks': { networks: 'array' },
  'POST /api/tokens': { token: 'string', token_id: 'string' },
  'GET /api/tasks': { tasks: 'array', stats: 'array' },
  'POST /api/tasks': { ...TASK, session_status: 'string' },
  'GET /api/tasks/:id': { task: 'object', events: 'array' },
  'POST /api/tasks/:id/retry': { ...TASK, retried_to: 'string' },
  'POST /api/tasks/:id/reassign': { ...TASK, reassigned_from: 'string', reassigned_to: 'string' },
  'POST /api/tasks/:id/cancel': TASK,
  'POST /api/tasks/:id/reply': { message_id: 'string' },
  'POST /api/messages': { message_id: 'string', session_status: 'string' },
  'POST /api/broadcast': { delivered_count: 'number' },
};

const RESULTS: Readonly<Record<string, Members>> = {
  report_status: { inbox_count: 'number' },
  get_inbox: { messages: 'array' },
  get_session_status: { session: 'object', recent_completions: 'array' },
};

const RPC_RESULTS: Readonly<Record<string, Members>> = {
  'tools/list': { tools: 'array' },
  'tools/call': { content: 'array' },
};

/** Whether `answer` is a hub's response to `method` and `path`, which may include a query. */
export function isHubAnswer(method: string, path: string, answer: unknown): boolean {
  const route = `${method} ${path.replace(/\?.*/s, '').replace(/^(\/api\/\w+\/)[^/]+/, idOf)}`;
  if (route.startsWith('POST /hooks/')) return has(answer, {});
  const plain = PLAIN[route];
  if (plain !== undefined) return has(answer, plain);
  return route === 'POST /mcp' ? has(answer, { jsonrpc: 'string' }) : isOk(answer) && has(answer, MEMBERS[route] ?? {});
}

function idOf(path: string, start: string): string {
  return ['/api/tasks/', '/api/tokens/'].includes(start) ? `${start}:id` : path;
}

export function isRpcResult(method: string, result: unknown): boolean {
  return has(result, RPC_RESULTS[method] ?? {});
}

export function isToolResult(tool: string, result: unknown): boolean {
  return isOk(result) && has(result, RESULTS[tool] ?? {});
}

function isOk(answer: unknown): boolean {
  return isObject(answer) && answer.ok === true;
}

function has(answer: unknown, members: Members): boolean {
  return isObject(answer) && Object.entries(members).every(([name, kind]) => kindOf(answer[name]) === kind);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return kindOf(value) === 'object';
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}
