// Checks the public path to the hub: that it leads to this hub, delivers events without delay, and preserves the
// address of clients.

import { type Finding, fail, ok, warn, wordsOf } from '../../domain/health/finding.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { roughDifference, SECOND_MS } from '../../domain/time/time.ts';
import { FORGED_ADDRESS, NotReady, openTestStream, type Seen, type TestStream } from './test-stream.ts';

// Half the time over which the hub sends the events.
const LEAST_SPREAD_MS = 250;
const MOST_SKEW_MS = 5 * SECOND_MS;

export async function checkOwnStream(url: string, code: string): Promise<Finding> {
  try {
    return checkSteps('stream', url, await openTestStream(url, code, true));
  } catch (error) {
    return fail('stream', `no event stream from ${url} (${wordsOf(error)})`, 'check the log of the hub');
  }
}

export async function checkPublicUrl(url: string, code: string, trustedProxies: number): Promise<Finding[]> {
  try {
    const stream = await openTestStream(url, code, false);
    return [
      ok('public url', `${url} leads to this hub`),
      checkSteps('public stream', url, stream),
      checkClients(stream.seen, trustedProxies),
      ...checkHost(stream.seen, url),
      ...checkProtocol(stream.seen, url, trustedProxies),
      ...checkSkew(stream.date),
    ];
  } catch (error) {
    if (error instanceof NotReady)
      return [fail('public url', `no hub that ${url} leads to is ready (${error.message})`, 'see the other findings')];
    return [
      fail(
        'public url',
        `${url} does not lead to this hub (${wordsOf(error)})`,
        isUntrusted(error)
          ? 'if a private authority signed its certificate, set NODE_USE_SYSTEM_CA=1 where the machine trusts the authority, or NODE_EXTRA_CA_CERTS to its file (PEM), here and where agents run; otherwise serve the whole chain'
          : 'check its DNS name, its certificate and the target of the reverse proxy',
      ),
    ];
  }
}

const UNTRUSTED: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function isUntrusted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNTRUSTED.has(error.code);
}

function checkSteps(check: string, url: string, { spreadMs, encoding }: TestStream): Finding {
  if (spreadMs < LEAST_SPREAD_MS)
    return fail(
      check,
      `events through ${url} are buffered and arrive all at once`,
      'disable buffering in the reverse proxy: proxy_buffering off (nginx), flush_interval -1 (Caddy)',
    );
  if (encoding !== undefined)
    return warn(
      check,
      `events are compressed (${encoding})`,
      'disable compression of text/event-stream in the reverse proxy',
    );
  return ok(check, 'events arrive without delay');
}

/** Each proxy appends the address of its client to X-Forwarded-For. trust_proxy should be the number of proxies. */
function checkClients({ address, forwarded_for }: Seen, trusted: number): Finding {
  const check = 'client address';
  const addresses = (forwarded_for ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const proxies = addresses.length - (addresses[0] === FORGED_ADDRESS ? 1 : 0);
  const remedy = `set trust_proxy to ${proxies}`;
  if (address === FORGED_ADDRESS)
    return fail(
      check,
      `clients can forge their address: ${proxies} proxies add theirs, ${trusted} are trusted`,
      remedy,
    );
  if (proxies > trusted)
    return warn(
      check,
      `every client appears as ${address}: ${proxies} proxies are in front, ${trusted} are trusted`,
      remedy,
    );
  if (proxies < trusted) return warn(check, `${trusted} proxies are trusted, but ${proxies} add an address`, remedy);
  return ok(check, `${address}; ${proxies === 0 ? 'no proxy in front' : `${proxies} in front and trusted`}`);
}

function checkHost({ host }: Seen, url: string): Finding[] {
  if (host === new URL(url).host) return [];
  return [
    warn(
      'host header',
      `the reverse proxy changes it to ${host}`,
      'preserve it with its port: proxy_set_header Host $http_host (nginx)',
    ),
  ];
}

function checkProtocol({ protocol }: Seen, url: string, trusted: number): Finding[] {
  if (trusted === 0 || new URL(url).protocol === `${protocol}:`) return [];
  return [
    warn('protocol', `the hub sees the request as ${protocol}`, 'proxy_set_header X-Forwarded-Proto $scheme (nginx)'),
  ];
}

function checkSkew(date: number): Finding[] {
  const skew = Math.abs(date - systemClock.now());
  if (!(skew > MOST_SKEW_MS)) return [];
  return [
    warn(
      'clock',
      `it differs by ${roughDifference(skew)} from the clock of the public address`,
      'synchronize both with NTP',
    ),
  ];
}
