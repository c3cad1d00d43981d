// Looks up the addresses of a host name with DNS. Unlike the system's resolver, this uses no thread, so slow lookups
// cannot use up all threads. It does not read /etc/hosts.
import { Resolver } from 'node:dns/promises';
import { isLoopbackName } from '../domain/addresses.ts';
import { codeOf, ProblemError } from './problem-of.ts';

export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

const TIMEOUT_MS = 2_000; // of each name server
const LOOPBACK = ['127.0.0.1', '::1'];
const NO_ADDRESS: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

export async function resolveName(name: string, signal: AbortSignal): Promise<readonly string[]> {
  if (isLoopbackName(name)) return LOOPBACK;
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel());
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0 && ipv4.status === 'rejected') throw failureOf(ipv4.reason);
  return found;
}

function failureOf(reason: unknown): ProblemError {
  return new ProblemError(NO_ADDRESS.includes(codeOf(reason)) ? 'no_address' : 'lookup_failed');
}
