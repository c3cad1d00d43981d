// A request that the hub has begun to read: its headers have arrived, its body has not.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type JsonObject, objectIn } from '../json.ts';

export type Reply = { status: number | undefined; body: JsonObject };

export type HalfSent = {
  /** Sends the body and waits for the response. */
  finish(): Promise<Reply>;
  /** Resolves when the connection is closed, with the error, if any. */
  closed: Promise<Error | undefined>;
};

/** Resolves once the hub has sent `100 Continue`, which proves that it has the headers. */
export async function beginPost(url: string, token: string, body: object): Promise<HalfSent> {
  const content = JSON.stringify(body);
  const begun = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(content),
      Expect: '100-continue',
    },
  });
  const closed = endOf(begun);
  begun.flushHeaders();
  await once(begun, 'continue');
  return { closed, finish: () => finish(begun, content, closed) };
}

function endOf(begun: ClientRequest): Promise<Error | undefined> {
  return new Promise((resolve) => {
    let broken: Error | undefined;
    begun.on('error', (error) => (broken = error)).on('close', () => resolve(broken));
  });
}

async function finish(begun: ClientRequest, content: string, closed: HalfSent['closed']): Promise<Reply> {
  const responded = new Promise<IncomingMessage>((resolve) => begun.once('response', resolve));
  begun.end(content);
  const response = await Promise.race([responded, closed]);
  if (response === undefined || response instanceof Error)
    throw response ?? new Error('the hub closed the connection without an answer');
  return { status: response.statusCode, body: objectIn(await text(response)) };
}
