// Sends one request to a hub. The certificate of a hub on this machine is not verified, because it may be for another
// name; the certificate of a remote hub must be valid.
import type { IncomingMessage } from 'node:http';
import { SECOND_MS } from '../../domain/time/time.ts';
import { exchange } from '../client/exchange.ts';
import { CommandError } from '../exit-codes.ts';

export type Probe = { status: number; headers: IncomingMessage['headers']; body: Readonly<Record<string, unknown>> };

export type Way = { isLocal: boolean; headers?: Readonly<Record<string, string>> };

export type ProbeOptions = Way & { timeoutSeconds: number };

/** Throws a CommandError if there is no response in time. */
export async function probe(url: string, options: ProbeOptions): Promise<Probe> {
  const signal = AbortSignal.timeout(options.timeoutSeconds * SECOND_MS);
  try {
    const response = await openAt(url, options, signal);
    return { status: response.statusCode ?? 0, headers: response.headers, body: objectIn(await textOf(response)) };
  } catch (error) {
    throw new CommandError(`no response from ${url} (${signal.aborted ? 'timeout' : reasonOf(error)})`);
  }
}

/** Resolves with the response as soon as its headers have arrived. */
export function openAt(url: string, { headers = {}, isLocal }: Way, signal: AbortSignal): Promise<IncomingMessage> {
  const connection = { agent: false, rejectUnauthorized: !isLocal };
  return exchange(url, { method: 'GET', headers, signal, connection });
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return 'unknown reason';
  return 'code' in cause ? String(cause.code) : cause.message;
}
