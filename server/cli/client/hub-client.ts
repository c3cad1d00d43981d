// The HTTP client for a running hub: REST, and the tools of /mcp for agent operations. Every error is one line that
// says what to do, and carries the exit code of the command.
import type { IncomingMessage } from 'node:http';
import { SECOND_MS } from '../../domain/time/time.ts';
import { CommandError, EXIT, refusalCode } from '../exit-codes.ts';
import { allPages } from './all-pages.ts';
import { reasonOf } from './connection-errors.ts';
import { type Exchange, exchange } from './exchange.ts';
import { isHubAnswer, isRpcResult, isToolResult } from './hub-answers.ts';
import { inCommands } from './remedies.ts';

export type HubClient = {
  /** Without a trailing slash. */
  url: string;
  get<Answer extends object>(path: string, query?: Query): Promise<Answer>;
  /** All pages of a list; `noun` is the member that holds the items. */
  getAll<Answer extends object>(path: string, noun: string, query?: Query): Promise<Answer>;
  post<Answer extends object>(path: string, body?: object, options?: { signal: AbortSignal }): Promise<Answer>;
  remove<Answer extends object>(path: string): Promise<Answer>;
  /** Returns a tool's result. `extraTimeoutMs` extends the response timeout for tools that wait. */
  tool<Answer extends object>(
    name: string,
    input: object,
    options?: { extraTimeoutMs?: number; signal?: AbortSignal | undefined },
  ): Promise<Answer>;
  /** Any JSON-RPC method of /mcp. */
  rpc<Answer extends object>(
    method: string,
    params: object,
    options?: { extraTimeoutMs?: number; signal?: AbortSignal | undefined },
  ): Promise<Answer>;
  /** Opens an event stream. */
  open(
    path: string,
    options: { lastEventId?: string | undefined; signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>>;
};

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The hub did not respond: it may be down, restarting, or at another address. */
export class HubUnreachable extends CommandError {
  constructor(url: string, reason: string) {
    super(unreachable(url, reason), EXIT.unreachable);
  }
}

function unreachable(url: string, reason: string): string {
  return `cannot reach the hub at ${url} (${reason}); start it, or select another hub with --hub, agenthub login or AGENTHUB_URL`;
}

/** The response does not come from a hub. For example, a proxy sends an error page while its hub is down. */
export class UnexpectedAnswer extends CommandError {
  constructor(url: string, status: number) {
    if (status >= 500) super(unreachable(url, `status ${status}`), EXIT.unreachable);
    else super(`the server at ${url} is not an agenthub hub (status ${status}); check the address`);
  }
}

const LOGIN = 'run agenthub login';

/** The hub refused the request. `code` is its error code, and `remedy` says how to get another token. */
export class HubRefused extends CommandError {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, said: string, remedy = LOGIN) {
    const message = inCommands(said);
    super(
      status === 401 && code !== 'invalid_credentials' ? `${message} (${remedy})` : `${code}: ${message}`,
      isDenial(status) ? EXIT.denied : refusalCode(code),
      code,
    );
    this.status = status;
    this.code = code;
  }
}

// Tool errors have status 200, so the error code decides.
const TRANSIENT_CODES: readonly string[] = ['rate_limited', 'unavailable', 'storage_full', 'database_gone'];

/** Whether a retry of the same call may succeed. */
export function isTransient(error: unknown): error is HubUnreachable | UnexpectedAnswer | HubRefused {
  if (error instanceof HubRefused) return error.status >= 500 || TRANSIENT_CODES.includes(error.code);
  return error instanceof HubUnreachable || error instanceof UnexpectedAnswer;
}

function isDenial(status: number): boolean {
  return status === 401 || status === 403;
}

const ANSWER_MS = 30 * SECOND_MS;
const OK = 200;

type Call = { method: string; body?: object; extraTimeoutMs?: number | undefined; signal?: AbortSignal | undefined };

/** `networkId` is needed for a user token, unless its user has only one network; `remedy` is for a refused token. */
export type HubClientOptions = { networkId?: string | undefined; remedy?: string | undefined };

export function hubClient(
  url: string,
  token: string | undefined,
  { networkId, remedy }: HubClientOptions = {},
): HubClient {
  const inNetwork = networkId === undefined ? {} : { network_id: networkId };
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };

  const call = async <Answer extends object>(
    path: string,
    { method, body, extraTimeoutMs = 0, signal }: Call,
  ): Promise<Answer> => {
    const timeout = AbortSignal.timeout(ANSWER_MS + extraTimeoutMs);
    const response = await reach(url, path, {
      method,
      headers: {
        ...authorization,
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    const answered = { url, status: statusOf(response), text: await textOf(url, response), remedy };
    return answerIn(answered, (answer) => isHubAnswer(method, path, answer));
  };

  const get: HubClient['get'] = (path, query = {}) =>
    call(path + queryString({ ...inNetwork, ...query }), { method: 'GET' });

  const rpc: HubClient['rpc'] = async <Answer extends object>(method: string, params: object, options = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await call<{ result?: Answer; error?: { message: string } }>('/mcp', {
      method: 'POST',
      body,
      ...options,
    });
    if (answer.result === undefined && typeof answer.error?.message === 'string')
      throw new CommandError(`the hub refused ${method}: ${answer.error.message}`);
    if (answer.result === undefined || !isRpcResult(method, answer.result)) throw new UnexpectedAnswer(url, OK);
    return answer.result;
  };

  return {
    url,
    get,
    getAll: (path, noun, query = {}) => allPages(noun, (cursor) => get(path, { ...query, cursor })),
    post: (path, body = {}, options) => call(path, { method: 'POST', body: { ...inNetwork, ...body }, ...options }),
    remove: (path) => call(path + queryString(inNetwork), { method: 'DELETE' }),
    rpc,
    tool: async (name, input, options) =>
      toolAnswer(url, name, await rpc<ToolResult>('tools/call', { name, arguments: input }, options)),
    open: async (path, { lastEventId, signal }) => {
      const headers = {
        ...authorization,
        Accept: 'text/event-stream',
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      };
      const response = await reach(url, path + queryString(inNetwork), { method: 'GET', headers, signal });
      if (isEventStream(response)) return response;
      return answerIn({ url, status: statusOf(response), text: await textOf(url, response), remedy }, () => false);
    },
  };
}

function isEventStream(response: IncomingMessage): boolean {
  const { 'content-type': type = '' } = response.headers;
  return statusOf(response) === OK && type.startsWith('text/event-stream');
}

function statusOf({ statusCode = 0 }: IncomingMessage): number {
  return statusCode;
}

/** Omits undefined parameters. */
function queryString(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

async function reach(url: string, path: string, sent: Exchange): Promise<IncomingMessage> {
  try {
    return await exchange(url + path, sent);
  } catch (error) {
    throw new HubUnreachable(url, reasonOf(error));
  }
}

/** The limit for a response or a single stream event: far more than a hub sends, and small enough to keep in memory. */
export const MAX_ANSWER_CHARACTERS = 32 * 1024 * 1024;

async function textOf(url: string, response: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > MAX_ANSWER_CHARACTERS) throw new UnexpectedAnswer(url, statusOf(response));
    }
    return text + decoder.decode();
  } catch (error) {
    throw error instanceof UnexpectedAnswer ? error : new HubUnreachable(url, reasonOf(error));
  }
}

type Answered = { url: string; status: number; text: string; remedy: string | undefined };

/** The type is the one the caller expects; responses of a hub are not validated further. */
function answerIn<Answer extends object>(
  { url, status, text, remedy }: Answered,
  isHubs: (answer: unknown) => boolean,
): Answer {
  const answer = parsed(text);
  if (status >= 200 && status < 300) {
    if (isHubs(answer)) return answer;
    throw new UnexpectedAnswer(url, status);
  }
  const { error, message } = { error: undefined, message: undefined, ...answer };
  if (typeof error === 'string')
    throw new HubRefused(status, error, typeof message === 'string' ? message : 'no reason given', remedy);
  throw new UnexpectedAnswer(url, status);
}

function parsed(text: string) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

type ToolResult = { content: readonly { text?: unknown }[]; isError?: boolean };

// Tool errors have status 200.
function toolAnswer<Answer extends object>(url: string, tool: string, { content, isError }: ToolResult): Answer {
  const answer = parsed(String(content[0]?.text));
  if (isError === true && typeof answer?.error === 'string')
    throw new HubRefused(OK, answer.error, String(answer.message));
  if (isToolResult(tool, answer)) return answer;
  throw new UnexpectedAnswer(url, OK);
}
