// A persistent event stream that reconnects automatically, resumes after the last event and reports its state. It uses
// fetch because EventSource cannot send the token as a header.
import { hubTime } from './clock.ts';
import { bearer } from './request.ts';
import { type StreamEvent, streamParser } from './sse-parser.ts';
import { openWatchdog } from './watchdog.ts';

export type LiveState = { state: 'connecting' | 'live' } | { state: 'reconnecting' | 'offline'; retryAt: number };

export type LiveSource = {
  path: string;
  token: string;
  /** The last event id of an earlier reader of this stream. */
  lastEventId?: string;
  /** The connection is open. `resumed` is false when earlier events may be lost. */
  onOpen(resumed: boolean): void;
  /** `id` is the stream position after this event. */
  onEvent(event: StreamEvent, id: string): void;
  onState(state: LiveState): void;
  onUnauthorized(): void;
  /** The user has no access, or no longer has access, to the subject of the stream. */
  onForbidden?(): void;
};

export type Live = { close(): void; retryNow(): void };

const FIRST_RETRY_MS = 3_000;
const LONGEST_RETRY_MS = 30_000;
const FAILURES_BEFORE_OFFLINE = 3;
const PROBE_LIMIT_MS = 5_000;

export function openLive(source: LiveSource): Live {
  const closing = new AbortController();
  const watchdog = openWatchdog();
  let lastEventId = source.lastEventId ?? '';
  let retryMs = FIRST_RETRY_MS;
  let failures = 0;
  let retryNow = () => {};

  async function keepListening(): Promise<void> {
    source.onState({ state: 'connecting' });
    while (!closing.signal.aborted) {
      // The cause of a disconnect does not matter. The next connection resumes after the last event.
      await listenOnce().catch(() => {});
      if (closing.signal.aborted) return;
      failures += 1;
      await pause(backoff(failures, retryMs));
    }
  }

  async function listenOnce(): Promise<void> {
    const attempt = new AbortController();
    watchdog.start(() => attempt.abort(), probe);
    try {
      const response = await connect(AbortSignal.any([attempt.signal, closing.signal]));
      if (response.status === 401) return source.onUnauthorized();
      if (response.status === 403) return source.onForbidden?.();
      if (response.ok && response.body !== null) await readAll(response.body);
    } finally {
      watchdog.stop();
    }
  }

  function connect(signal: AbortSignal): Promise<Response> {
    const resume: Record<string, string> = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId };
    const headers = { Accept: 'text/event-stream', ...bearer(source.token), ...resume };
    return fetch(source.path, { cache: 'no-store', credentials: 'omit', headers, signal });
  }

  async function readAll(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    const parser = streamParser({
      onEvent: (event) => take(event, parser.lastEventId()),
      onRetry: (milliseconds) => (retryMs = milliseconds),
    });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    failures = 0;
    source.onOpen(lastEventId !== '');
    source.onState({ state: 'live' });
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      watchdog.alive();
      parser.feed(piece.value);
      lastEventId = parser.lastEventId() || lastEventId;
    }
  }

  function take(event: StreamEvent, id: string): void {
    lastEventId = id || lastEventId;
    if (event.type === 'heartbeat') watchdog.beat();
    if (!closing.signal.aborted) source.onEvent(event, lastEventId);
  }

  function pause(milliseconds: number): Promise<void> {
    const offline = failures >= FAILURES_BEFORE_OFFLINE || !navigator.onLine;
    source.onState({ state: offline ? 'offline' : 'reconnecting', retryAt: hubTime() + milliseconds });
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const wake = () => {
    if (!document.hidden) retryNow();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  void keepListening();

  return {
    retryNow: () => retryNow(),
    close() {
      closing.abort();
      retryNow();
      removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
    },
  };
}

/** Any response shows that the hub is alive. */
function probe(): Promise<unknown> {
  return fetch('/health/live', { cache: 'no-store', credentials: 'omit', signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
}

/**
 * Doubles from the `retry` value of the hub up to 30 seconds. Jitter prevents many consoles from reconnecting at the
 * same time.
 */
export function backoff(failures: number, retryMs: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_RETRY_MS, retryMs * 2 ** (failures - 1));
  return Math.round(full * (0.5 + random() / 2));
}
