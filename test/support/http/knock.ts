// A request put together by hand, as no well-meaning client would send it.
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { isObject, type JsonObject } from '../json.ts';

export type Knock = {
  method?: string;
  /** Sent as it stands. */
  path: string;
  headers?: OutgoingHttpHeaders;
  /** One piece goes out with its length, several go out as chunks without one. */
  body?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** Where it comes from, of the addresses of this machine. */
  localAddress?: string;
};

export type Reply = { status: number; headers: IncomingHttpHeaders; body: JsonObject };

/** Each on a connection of its own, since a refused body may cost the connection. */
export async function knock(
  url: string,
  { method = 'POST', path, headers = {}, body, localAddress }: Knock,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const asked = request({
    hostname,
    port,
    method,
    path,
    headers,
    agent: false,
    ...(localAddress !== undefined && { localAddress }),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    asked.once('response', resolve).on('error', reject),
  );
  if (Array.isArray(body)) for (const piece of body) asked.write(piece);
  asked.end(typeof body === 'string' || body instanceof Uint8Array ? body : undefined);
  return read(await answered, method);
}

/** Only the headers: what they promise is never sent. */
export async function knockAndHoldBack(
  url: string,
  { method = 'POST', ...knocked }: Omit<Knock, 'body'>,
): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const asked = request({ hostname, port, method, ...knocked, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    asked.once('response', resolve).on('error', reject),
  );
  asked.flushHeaders();
  return read(await answered, method).finally(() => asked.destroy());
}

async function read(response: IncomingMessage, method: string): Promise<Reply> {
  const content = await text(response);
  const isJson = method !== 'HEAD' && /json/.test(response.headers['content-type'] ?? '');
  const value: unknown = isJson ? JSON.parse(content) : { text: content };
  return { status: response.statusCode ?? 0, headers: response.headers, body: isObject(value) ? value : { value } };
}
