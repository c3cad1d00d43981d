// One HTTP request of a command. Not with `fetch`: Node takes 20 ms to load it, and a hook of a coding agent runs at
// each turn and tool call.
import { type IncomingMessage, request } from 'node:http';
import { type RequestOptions as SecureOptions, request as secureRequest } from 'node:https';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { VERSION } from '../../version.ts';

export type Exchange = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  signal: AbortSignal;
  connection?: SecureOptions;
};

/** Lets a hub notice that its users have a newer version. */
const USER_AGENT = `agenthub/${VERSION}`;

/**
 * Longer than a call may wait; streams send heartbeats. A connection that was cut in silence, as by a suspend, would
 * otherwise stay open.
 */
const SILENT_MS = 6 * MINUTE_MS;

/** Resolves with the response once its headers have arrived; its body must be read or destroyed. */
export function exchange(
  url: string,
  { body, method, headers, signal, connection }: Exchange,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = {
      method,
      headers: { 'User-Agent': USER_AGENT, ...headers, ...length },
      signal,
      timeout: SILENT_MS,
      agent: false, // a server may close a kept connection just when it is used again
      ...connection,
    };
    const send = url.startsWith('https:') ? secureRequest : request;
    const sent = send(url, options, resolve);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`no data for ${SILENT_MS / MINUTE_MS} minutes`)));
    sent.end(body);
  });
}
