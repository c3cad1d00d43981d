// What MCP clients of both eras send, and how they read a streamed response.
import { type JsonObject, objectIn } from '../json.ts';

export const MODERN_VERSION = '2026-07-28';

export type Post = { headers: Record<string, string>; message: unknown };

/** As a client with a handshake sends it, and the bare call of interface.md. */
export function legacyPost(method: string, params?: object, id: unknown = 1): Post {
  return { headers: {}, message: { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) } };
}

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** As sent by a client whose every request describes itself, in `_meta` and in headers. */
export function modernPost(method: string, params: JsonObject = {}, id: unknown = 1): Post {
  const name = params.name ?? params.uri;
  const headers = {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
  const meta = params._meta;
  return {
    headers,
    message: {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...MODERN_META, ...(typeof meta === 'object' && meta) } },
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };
export const TAKES_STREAMS = { accept: 'application/json, text/event-stream' };
export const TAKES_JSON = { accept: 'application/json' };

export function send(
  url: string,
  token: string,
  { headers, message }: Post,
  more: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...TAKES_STREAMS, authorization: `Bearer ${token}`, ...headers, ...more },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal !== undefined && { signal }),
  });
}

/** A keep-alive line, or a message. */
export type Frame = { comment: string } | { message: JsonObject };

export type Frames = {
  /** The next message, skipping keep-alives, or undefined at the end. */
  message(): Promise<JsonObject | undefined>;
  next(): Promise<Frame | undefined>;
  close(): Promise<void>;
};

export function framesOf(response: Response): Frames {
  const frames = read(response);
  const next = async (): Promise<Frame | undefined> => (await frames.next()).value ?? undefined;
  const message = async (): Promise<JsonObject | undefined> => {
    for (;;) {
      const frame = await next();
      if (frame === undefined || 'message' in frame) return frame?.message;
    }
  };
  return {
    next,
    message,
    close: async () => void (await response.body?.cancel().catch(() => frames.return(undefined))),
  };
}

async function* read({ body }: Response): AsyncGenerator<Frame, undefined> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield frameIn(block);
  }
}

function frameIn(block: string): Frame {
  if (block.startsWith(':')) return { comment: block.slice(1).trim() };
  const [event, data] = block.split('\n');
  if (event !== 'event: message' || data === undefined || !data.startsWith('data: '))
    throw new Error(`not a frame: ${block}`);
  return { message: objectIn(data.slice('data: '.length)) };
}
