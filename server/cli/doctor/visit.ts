// A visit by an address of the hub: what of the request the hub saw, and in which steps its events came back.
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/time/time.ts';
import { openAt } from './probe.ts';

/** No client has this address; a hub that sees it believes what anybody may claim. */
export const FORGED_ADDRESS = '192.0.2.77';

const PATIENCE_MS = 10 * SECOND_MS;

const seenByHub = v.object({
  address: v.string(),
  protocol: v.string(),
  host: v.string(),
  forwarded_for: v.optional(v.string()),
  forwarded_proto: v.optional(v.string()),
});
export type Seen = v.InferOutput<typeof seenByHub>;

export type Visit = {
  seen: Seen;
  /** From the first event to the last; the hub sends them over half a second. */
  spreadMs: number;
  encoding: string | undefined;
  /** By the clock of whoever answered. */
  date: number;
};

/** Throws where nothing came, or something that is not this hub. */
export async function visit(url: string, code: string, isLocal: boolean): Promise<Visit> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const headers = {
    Authorization: `Bearer ${code}`,
    Accept: 'text/event-stream',
    'Accept-Encoding': 'gzip, identity',
    'X-Forwarded-For': FORGED_ADDRESS,
  };
  const response = await openAt(`${url}/events/doctor`, { headers, isLocal }, signal);
  if (response.statusCode !== 200) throw new Error(`it answered ${response.statusCode} instead of this hub`);
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

function seenIn(text: string): Seen {
  const line = /^event: seen\ndata: (.*)$/m.exec(text)?.[1] ?? 'null';
  return v.parse(seenByHub, JSON.parse(line));
}
