// Requests that the hub itself sends, to addresses that users choose. Unless allowed, only public addresses are
// contacted: the address is checked when the connection resolves its name, so a name cannot change in between.
// Redirects are not followed, and of a response only its status is used.
import { Resolver } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackName, nameOf } from '../domain/addresses.ts';
import type { Outcome } from '../domain/notifiers/notifier.ts';
import type { OutgoingRequest } from '../domain/notifiers/payloads.ts';
import { isPrivateAddress } from './private-addresses.ts';

export type Outgoing = {
  /** Never throws. */
  post(request: OutgoingRequest): Promise<Outcome>;
  /** Why a URL cannot be used, as far as known without contacting it; undefined if it can. */
  problemOf(url: string): Promise<string | undefined>;
  /** Aborts all requests. */
  close(): void;
};

type Resolve = (name: string) => Promise<readonly string[]>;

export type OutgoingOptions = { addresses: 'public' | 'all'; timeoutMs: number; resolve?: Resolve };

export function openOutgoing({ addresses, timeoutMs, resolve = resolveName }: OutgoingOptions): Outgoing {
  const closing = new AbortController();
  const allowed = async (name: string): Promise<readonly string[]> => {
    const found = isIP(name) > 0 ? [name] : await resolve(name);
    if (addresses === 'public' && found.some(isPrivateAddress)) throw new Refusal(name);
    return found;
  };
  return {
    post: async (request) => {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
      try {
        await allowed(nameOf(new URL(request.url).host)); // an address in the URL is never looked up
        return outcomeOf(await statusOf(request, lookupIn(allowed), signal));
      } catch (error) {
        return { status: null, error: signal.aborted ? timedOut(timeoutMs) : sentenceOf(error) };
      }
    },
    problemOf: async (url) => {
      try {
        await allowed(nameOf(new URL(url).host));
        return undefined;
      } catch (error) {
        return sentenceOf(error);
      }
    },
    close: () => closing.abort(),
  };
}

class Refusal extends Error {
  constructor(name: string) {
    super(`the address of ${name} is private, and this hub only notifies public addresses (notifier_addresses)`);
  }
}

const DNS_TIMEOUT_MS = 3_000;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Asks the name servers. Unlike the system's resolver, it occupies no thread, of which slow names could use up all; it
 * does not read /etc/hosts.
 */
async function resolveName(name: string): Promise<readonly string[]> {
  if (isLoopbackName(name)) return LOOPBACK;
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return found;
}

function lookupIn(allowed: Resolve): LookupFunction {
  return (name, options, callback) => {
    allowed(name).then(
      (found) => {
        const all = found.map((address) => ({ address, family: isIP(address) }));
        if (options.all === true) callback(null, all);
        else callback(null, all[0]?.address ?? '', all[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function statusOf({ url, headers, body }: OutgoingRequest, lookup: LookupFunction, signal: AbortSignal) {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise<number>((resolve, reject) => {
    const sending = send(
      url,
      { method: 'POST', agent: false, lookup, signal, headers: { 'User-Agent': 'agenthub', ...headers } },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null };
  const error =
    status >= 300 && status < 400
      ? `the receiver answered ${status}, and redirects are not followed; use the URL that it redirects to`
      : `the receiver answered ${status}`;
  return { status, error };
}

const timedOut = (timeoutMs: number): string => `the receiver did not answer within ${timeoutMs / 1_000} s`;

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host has no address',
  ENODATA: 'its host has no address',
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver closed the connection',
  EPIPE: 'the receiver closed the connection',
  EHOSTUNREACH: 'the receiver cannot be reached',
  ENETUNREACH: 'the receiver cannot be reached',
  ETIMEOUT: 'its host could not be looked up',
  EREFUSED: 'its host could not be looked up',
  ESERVFAIL: 'its host could not be looked up',
};

function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return 'the request failed';
  return SENTENCES[code] ?? (code.includes('CERT') ? `its certificate is not valid (${code})` : `it failed (${code})`);
}
