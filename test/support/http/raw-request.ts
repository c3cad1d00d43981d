// Sends handmade requests that no regular client would send.
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { isObject, type JsonObject } from '../json.ts';

export type RawRequest = {
  method?: string;
  /** Sent unchanged. */
  path: string;
  headers?: OutgoingHttpHeaders;
  /** One piece is sent with its length, several as chunks without one. */
  body?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** The client address, one of this machine. */
  localAddress?: string;
};

export type Reply = { status: number; headers: IncomingHttpHeaders; body: JsonObject };

/** Each on a separate connection, because a rejected body can close it. */
export async function sendRaw(
  url: string,
  { method = 'POST', path, headers = {}, body, localAddress }: RawRequest,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const outgoing = request({
    hostname,
    port,
    method,
    path,
    headers,
    agent: false,
    ...(localAddress !== undefined && { localAddress }),
  });
  const responded = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).on('error', reject),
  );
  if (Array.isArray(body)) for (const piece of body) outgoing.write(piece);
  outgoing.end(typeof body === 'string' || body instanceof Uint8Array ? body : undefined);
  return read(await responded, method);
}

/** Only the headers. The declared body is never sent. */
export async function sendHeadersOnly(
  url: string,
  { method = 'POST', ...rest }: Omit<RawRequest, 'body'>,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const outgoing = request({ hostname, port, method, ...rest, agent: false });
  const responded = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.once('response', resolve).on('error', reject),
  );
  outgoing.flushHeaders();
  return read(await responded, method).finally(() => outgoing.destroy());
}

async function read(response: IncomingMessage, method: string): Promise<Reply> {
  const content = await text(response);
  const isJson = method !== 'HEAD' && /json/.test(response.headers['content-type'] ?? '');
  const value: unknown = isJson ? JSON.parse(content) : { text: content };
  return { status: response.statusCode ?? 0, headers: response.headers, body: isObject(value) ? value : { value } };
}
