// A request as it stands and its answer to the last byte: with fetch, the client takes longer than the hub.
import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Sent = {
  method: string;
  /** With the query, as it goes into the request line. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array | undefined;
};

export type Received = {
  status: number;
  type: string;
  text: string /** Status, headers and body as they came. */;
  raw: string;
};

/** Brought along, so that answers to different requests can be the same to the last byte. */
export const REQUEST_ID = { 'X-Request-Id': 'asked' };

/** Without an answer by then there will be none. */
const PATIENCE_MS = 10_000;

/**
 * A stream of events is left as soon as its headers are there. `agent` keeps the connection; without one it is a new
 * one.
 */
export function send(url: string, { method, path, headers = {}, body }: Sent, agent?: Agent): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({
      hostname,
      port,
      method,
      path,
      headers,
      agent: agent ?? false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    asked.on('error', reject).on('response', (response) => {
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
      asked.destroy();
      resolve(received(''));
    });
    asked.end(body);
  });
}
