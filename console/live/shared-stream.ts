// Shares one event stream per browser. Of the tabs that watch the same network as the same user, the leader reads the
// stream and forwards events. When it closes, the next leader resumes at the same position.
import { type Live, type LiveSource, type LiveState, openLive } from './event-stream.ts';
import { electLeader } from './leader-election.ts';
import type { StreamEvent } from './sse-parser.ts';

/** Messages between tabs. */
type TabMessage =
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
  const send = (message: TabMessage) => channel.postMessage(message);

  function takeState(next: LiveState): void {
    state = next;
    source.onState(next);
  }

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'hello' && own !== undefined) {
      send({ kind: 'open', resumed: false, id: lastEventId });
      send({ kind: 'state', state });
    }
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
      onOpen: (resumed) => {
        send({ kind: 'open', resumed, id: lastEventId });
        source.onOpen(resumed);
      },
      onEvent: (event, id) => {
        lastEventId = id;
        send({ kind: 'event', event, id });
        source.onEvent(event, id);
      },
      onState: (next) => {
        send({ kind: 'state', state: next });
        takeState(next);
      },
    });
    own = live;
    over.addEventListener('abort', () => {
      live.close();
      own = undefined;
      // Another tab reads the stream and reports its state.
      if (!closing.signal.aborted) send({ kind: 'hello' });
    });
  }

  send({ kind: 'hello' });
  source.onState(state);
  electLeader(name, closing.signal, read);

  return {
    retryNow: () => (own === undefined ? send({ kind: 'retry' }) : own.retryNow()),
    close() {
      closing.abort();
      channel.close();
    },
  };
}
