// One event stream per browser: of the tabs that watch the same network as the same person, the one that holds the lock
// reads the stream and passes on what it hears; when it goes, the next resumes where it stood. Browsers without locks (on
// plain http) have a stream per tab, and only while the tab is in sight, since a browser opens six connections to a hub.
import type { StreamEvent } from './event-stream.ts';
import { type Live, type LiveSource, type LiveState, openLive } from './live.ts';

/** What the tabs tell each other. */
type Word =
  | { kind: 'event'; event: StreamEvent; id: string }
  | { kind: 'state'; state: LiveState }
  | { kind: 'open'; resumed: boolean; id: string }
  | { kind: 'hello' | 'retry' };

export type SharedSource = LiveSource & { /** Whom and what the stream belongs to. */ owner: string };

export function openShared(source: SharedSource): Live {
  return 'locks' in navigator ? openInTurn(source) : openInSight(source);
}

function openInTurn(source: SharedSource): Live {
  const name = `agenthub.stream.${source.owner}`;
  const channel = new BroadcastChannel(name);
  const closing = new AbortController();
  let own: Live | undefined;
  let state: LiveState = { state: 'connecting' };
  let lastEventId = source.lastEventId ?? '';
  const say = (word: Word) => channel.postMessage(word);

  function takeState(next: LiveState): void {
    state = next;
    source.onState(next);
  }

  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.kind === 'hello' && own !== undefined) say({ kind: 'open', resumed: false, id: lastEventId }), say({ kind: 'state', state });
    if (data.kind === 'retry') own?.retryNow();
    if (own !== undefined) return;
    if (data.kind === 'event' || data.kind === 'open') lastEventId = data.id;
    if (data.kind === 'event') source.onEvent(data.event, data.id);
    if (data.kind === 'open' && (data.resumed || state.state !== 'live')) source.onOpen(data.resumed);
    if (data.kind === 'state') takeState(data.state);
  };

  function lead(): Promise<void> {
    own = openLive({
      ...source,
      lastEventId,
      onOpen: (resumed) => (say({ kind: 'open', resumed, id: lastEventId }), source.onOpen(resumed)),
      onEvent: (event, id) => ((lastEventId = id), say({ kind: 'event', event, id }), source.onEvent(event, id)),
      onState: (next) => (say({ kind: 'state', state: next }), takeState(next)),
    });
    return new Promise((release) => closing.signal.addEventListener('abort', () => release()));
  }

  say({ kind: 'hello' });
  source.onState(state);
  // Given up while still in the queue, the request ends in an error that means nothing.
  navigator.locks.request(name, { signal: closing.signal }, lead).catch(() => {});

  return {
    retryNow: () => (own === undefined ? say({ kind: 'retry' }) : own.retryNow()),
    close() {
      own?.close();
      closing.abort();
      channel.close();
    },
  };
}

/** How long a tab may be out of sight before it gives its connection back. */
const OUT_OF_SIGHT_MS = 60_000;

function openInSight(source: LiveSource): Live {
  let lastEventId = source.lastEventId ?? '';
  let live: Live | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    live ??= openLive({ ...source, lastEventId, onEvent: (event, id) => ((lastEventId = id), source.onEvent(event, id)) });
  };
  const look = () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(() => (live?.close(), (live = undefined)), OUT_OF_SIGHT_MS);
    else open();
  };
  document.addEventListener('visibilitychange', look);
  look();
  open();
  return {
    retryNow: () => live?.retryNow(),
    close() {
      clearTimeout(leaving);
      document.removeEventListener('visibilitychange', look);
      live?.close();
    },
  };
}
