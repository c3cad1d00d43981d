// One event stream per browser: of the tabs that watch the same network as the same person, the one whose turn it is
// reads the stream and passes on what it hears; when it goes, the next resumes where it stood.
import { type Live, type LiveSource, type LiveState, openLive } from './event-stream.ts';
import { electLeader } from './leader-election.ts';
import type { StreamEvent } from './sse-parser.ts';

/** What the tabs tell each other. */
type Word =
  | { kind: 'event'; event: StreamEvent; id: string }
  | { kind: 'state'; state: LiveState }
  | { kind: 'open'; resumed: boolean; id: string }
  | { kind: 'hello' | 'retry' };

export type SharedSource = LiveSource & { /** Whom and what the stream belongs to. */ owner: string };

export function openShared(source: SharedSource): Live {
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
    if (data.kind === 'hello' && own !== undefined)
      say({ kind: 'open', resumed: false, id: lastEventId }), say({ kind: 'state', state });
    if (data.kind === 'retry') own?.retryNow();
    if (own !== undefined) return;
    if (data.kind === 'event' || data.kind === 'open') lastEventId = data.id;
    if (data.kind === 'event') source.onEvent(data.event, data.id);
    if (data.kind === 'open' && (data.resumed || state.state !== 'live')) source.onOpen(data.resumed);
    if (data.kind === 'state') takeState(data.state);
  };

  function read(over: AbortSignal): void {
    const live = openLive({
      ...source,
      lastEventId,
      onOpen: (resumed) => (say({ kind: 'open', resumed, id: lastEventId }), source.onOpen(resumed)),
      onEvent: (event, id) => ((lastEventId = id), say({ kind: 'event', event, id }), source.onEvent(event, id)),
      onState: (next) => (say({ kind: 'state', state: next }), takeState(next)),
    });
    own = live;
    over.addEventListener('abort', () => {
      live.close();
      own = undefined;
      // Another tab reads it now, and says how it stands.
      if (!closing.signal.aborted) say({ kind: 'hello' });
    });
  }

  say({ kind: 'hello' });
  source.onState(state);
  electLeader(name, closing.signal, read);

  return {
    retryNow: () => (own === undefined ? say({ kind: 'retry' }) : own.retryNow()),
    close() {
      closing.abort();
      channel.close();
    },
  };
}
