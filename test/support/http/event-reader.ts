// A reader of the hub's event stream: server-sent events over fetch. A test waits for a specific event, and when it
// does not come, the error lists the events received instead.
import { type JsonObject, objectIn } from '../json.ts';

export type StreamedEvent = { name: string; id: string | undefined; data: JsonObject };

export type EventReader = {
  /** The first unread event of this name whose data has these members. */
  next(name: string, members?: JsonObject): Promise<StreamedEvent>;
  arrived(): readonly StreamedEvent[];
  /** The id to resume from. */
  lastEventId(): string | undefined;
  /** Resolves when the hub ends the stream. */
  ended: Promise<void>;
  close(): Promise<void>;
};

const TIMEOUT_MS = 5_000;

/** `url` is that of a stream, such as `http://…/events/bob`. */
export async function openEvents(
  url: string,
  token: string,
  { lastEventId }: { lastEventId?: string } = {},
): Promise<EventReader> {
  const leaving = new AbortController();
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
  };
  const response = await fetch(url, { headers, signal: leaving.signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${url} returned ${response.status} ${await response.text()}`);
  const inbox = gather();
  const ended = read(response.body, inbox).finally(inbox.end);
  return {
    next: inbox.next,
    arrived: () => inbox.arrived,
    lastEventId: () => inbox.lastId,
    ended,
    close: () => {
      leaving.abort();
      return ended;
    },
  };
}

type Inbox = ReturnType<typeof gather>;

function gather() {
  const arrived: StreamedEvent[] = [];
  const taken = new Set<StreamedEvent>();
  let isOpen = true;
  let change = Promise.withResolvers<void>();
  const announce = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const find = (name: string, members: JsonObject) =>
    arrived.find((event) => !taken.has(event) && event.name === name && has(event.data, members));

  const next = async (name: string, members: JsonObject = {}): Promise<StreamedEvent> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const timer = new Promise((resolve) => timeout.addEventListener('abort', resolve));
    for (;;) {
      const event = find(name, members);
      if (event !== undefined) {
        taken.add(event);
        return event;
      }
      if (!isOpen || timeout.aborted) throw new Error(missing(name, members, arrived, isOpen));
      await Promise.race([change.promise, timer]);
    }
  };

  return {
    arrived,
    next,
    lastId: undefined as string | undefined,
    put: (event: StreamedEvent) => {
      arrived.push(event);
      announce();
    },
    end: () => {
      isOpen = false;
      announce();
    },
  };
}

function has(data: JsonObject, members: JsonObject): boolean {
  return Object.entries(members).every(([name, value]) => data[name] === value);
}

function missing(name: string, members: JsonObject, arrived: readonly StreamedEvent[], isOpen: boolean): string {
  const came = arrived.map((event) => `\n  ${event.id ?? '-'} ${event.name} ${JSON.stringify(event.data)}`).join('');
  const when = isOpen ? `within ${TIMEOUT_MS} ms` : 'before the stream ended';
  return `no ${name} ${JSON.stringify(members)} came ${when}; what came:${came || ' nothing'}`;
}

/** Ends without an error however the stream ends: the hub can be killed, and the reader can disconnect. */
async function read(body: ReadableStream<Uint8Array>, inbox: Inbox): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const bytes of body) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(block, inbox);
    }
  } catch {
    return;
  }
}

/** As in the standard, an `id` counts even in a block without data, which is not an event. */
function take(block: string, inbox: Inbox): void {
  const lines = block.split('\n').map((line) => line.split(/: ?(.*)/s, 2));
  const field = (wanted: string): string | undefined => lines.findLast(([name]) => name === wanted)?.[1];
  const id = field('id');
  const data = field('data');
  if (id !== undefined) inbox.lastId = id;
  if (data !== undefined) inbox.put({ name: field('event') ?? 'message', id, data: objectIn(data) });
}
