// Elects one leader among the tabs of this browser that request the same name. When the leader closes, the next tab
// takes over. Uses the Web Locks API where available; on plain HTTP the tabs negotiate over messages.

/** Called when this tab becomes the leader. `over` aborts when it loses leadership while it still competes. */
export type Candidate = (over: AbortSignal) => void;

export function electLeader(name: string, leaving: AbortSignal, take: Candidate): void {
  if ('locks' in navigator) electByLock(name, leaving, take);
  else electByMessages(name, leaving, take);
}

function electByLock(name: string, leaving: AbortSignal, take: Candidate): void {
  const hold = () =>
    new Promise<void>((release) => {
      leaving.addEventListener('abort', () => release());
      take(leaving);
    });
  // An aborted lock request rejects with an error that has no meaning here.
  navigator.locks.request(name, { signal: leaving }, hold).catch(() => {});
}

type TabMessage = { kind: 'who' | 'mine' | 'free'; tab: number };

/**
 * How long the leader has to respond: a page that is loading did not within 100 ms on a busy machine. The random part
 * makes it unlikely that two tabs start at the same time.
 */
const RESPONSE_MS = 250;
const JITTER_MS = 80;
/** A suspended tab does not respond. The next check detects it. */
const CHECK_MS = 15_000;

function electByMessages(name: string, leaving: AbortSignal, take: Candidate): void {
  const channel = new BroadcastChannel(`${name}.turn`);
  const tab = Math.random();
  let lead: AbortController | undefined;
  let isElecting = false;
  let isAway = false;
  let heardAt = Number.NEGATIVE_INFINITY;
  const send = (kind: TabMessage['kind']) => channel.postMessage({ kind, tab } satisfies TabMessage);

  const HANDLERS: Record<TabMessage['kind'], (other: number) => void> = {
    who: () => void (lead !== undefined && send('mine')),
    mine: (other) => {
      heardAt = performance.now();
      if (lead === undefined) return;
      // When two tabs start at the same time, the lower number wins.
      if (tab < other) send('mine');
      else stepDown();
    },
    free: () => void ask(),
  };
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => HANDLERS[data.kind](data.tab);

  async function ask(): Promise<void> {
    if (lead !== undefined || isElecting || isAway || leaving.aborted) return;
    isElecting = true;
    const askedAt = performance.now();
    send('who');
    await new Promise((resolve) => setTimeout(resolve, RESPONSE_MS + Math.random() * JITTER_MS));
    isElecting = false;
    if (heardAt >= askedAt || isAway || leaving.aborted) return;
    lead = new AbortController();
    send('mine');
    take(lead.signal);
  }

  function stepDown(): void {
    lead?.abort();
    lead = undefined;
  }

  /** Notifies the other tabs while messages can still be sent. A hidden page may become active again. */
  function leave(): void {
    isAway = true;
    if (lead !== undefined) send('free');
    stepDown();
  }

  const check = () => (lead === undefined ? void ask() : send('mine'));
  const resume = () => {
    if (document.hidden) return;
    isAway = false;
    check();
  };
  const timer = setInterval(check, CHECK_MS);
  addEventListener('pagehide', leave);
  document.addEventListener('freeze', leave);
  document.addEventListener('visibilitychange', resume);
  leaving.addEventListener('abort', () => {
    leave();
    clearInterval(timer);
    removeEventListener('pagehide', leave);
    document.removeEventListener('freeze', leave);
    document.removeEventListener('visibilitychange', resume);
    channel.close();
  });
  void ask();
}
