// Opens a test stream through an address of the hub: returns the request as the hub saw it, and how its events arrived.
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/time/time.ts';
import { openAt } from './probe.ts';

/** A reserved address that no client has. If the hub sees it, the hub trusts forged forwarding headers. */
export const FORGED_ADDRESS = '192.0.2.77';

const TIMEOUT_MS = 10 * SECOND_MS;
/** Another hub on the same database learns the code from it. */
const LOOK_MS = SECOND_MS / 2;
const MAX_LOOKS = 6;

const seenByHub = v.object({
  address: v.string(),
  protocol: v.string(),
  host: v.string(),
  forwarded_for: v.optional(v.string()),
  forwarded_proto: v.optional(v.string()),
});
export type Seen = v.InferOutput<typeof seenByHub>;

export type TestStream = {
  seen: Seen;
  /** The time from the first event to the last; the hub sends them over half a second. */
  spreadMs: number;
  encoding: string | undefined;
  /** The Date header of the response. */
  date: number;
};

/** Throws if there is no response, or if it does not come from this hub. */
export async function openTestStream(url: string, code: string, isLocal: boolean): Promise<TestStream> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = {
    Authorization: `Bearer ${code}`,
    Accept: 'text/event-stream',
    'Accept-Encoding': 'gzip, identity',
    'X-Forwarded-For': FORGED_ADDRESS,
  };
  const open = () => openAt(`${url}/events/doctor`, { headers, isLocal }, signal);
  let response = await open();
  for (let looks = 1; response.statusCode === 401 && looks < MAX_LOOKS; looks++) {
    response.resume();
    await sleep(LOOK_MS);
    response = await open();
  }
  if (response.statusCode === 401) throw new Error(UNKNOWN);
  if (response.statusCode === 503) throw new NotReady('status 503');
  if (response.statusCode !== 200) throw new Error(`unexpected status ${response.statusCode}`);
  const arrivals: number[] = [];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    arrivals.push(performance.now());
    text += String(chunk);
  }
  const [first = 0] = arrivals;
  return {
    seen: seenIn(text),
    spreadMs: (arrivals.at(-1) ?? 0) - first,
    encoding: response.headers['content-encoding'],
    date: Date.parse(response.headers.date ?? ''),
  };
}

/** The answer of a hub that is not ready, and of a proxy that knows none that is. */
export class NotReady extends Error {}

const UNKNOWN =
  'the hub that answers is another one, or one on the same database that is cut off from it; agenthub cluster lists the hubs';

function seenIn(text: string): Seen {
  const line = /^event: seen\ndata: (.*)$/m.exec(text)?.[1] ?? 'null';
  return v.parse(seenByHub, JSON.parse(line));
}
