// Sends a raw request and returns the complete response. With fetch, the client takes longer than the hub.
import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Sent = {
  method: string;
  /** With the query, as in the request line. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array | undefined;
};

export type Received = {
  status: number;
  type: string;
  text: string;
  /** Status, headers and body as received. */
  raw: string;
};

/** Supplied by the caller, so that responses to different requests can be identical to the last byte. */
export const REQUEST_ID = { 'X-Request-Id': 'asked' };

/** A response that has not arrived by then counts as missing. */
const TIMEOUT_MS = 10_000;

/**
 * An event stream is closed as soon as its headers arrive. `agent` keeps the connection alive. Without one, each
 * request opens a new connection.
 */
export function send(url: string, { method, path, headers = {}, body }: Sent, agent?: Agent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      headers,
      agent: agent ?? false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    outgoing.on('error', reject).on('response', (response) => {
      const status = response.statusCode ?? 0;
      const type = response.headers['content-type'] ?? '';
      const received = (content: string): Received => ({
        status,
        type,
        text: content,
        raw: [status, ...response.rawHeaders, content].join('\n'),
      });
      if (!type.startsWith('text/event-stream'))
        return void text(response).then((content) => resolve(received(content)), reject);
      outgoing.destroy();
      resolve(received(''));
    });
    outgoing.end(body);
  });
}
