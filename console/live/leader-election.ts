// Whose turn it is among the tabs of this browser: of those that ask under one name, one at a time has it, and when it
// goes the next one gets it. Browsers have locks for this, but not on plain http; there the tabs settle it among
// themselves.

/** Called when it is this tab's turn; `over` is aborted when it is no longer, though the tab goes on asking. */
export type Candidate = (over: AbortSignal) => void;

export function electLeader(name: string, leaving: AbortSignal, take: Candidate): void {
  if ('locks' in navigator) takeTurnsByLock(name, leaving, take);
  else takeTurnsByWord(name, leaving, take);
}

function takeTurnsByLock(name: string, leaving: AbortSignal, take: Candidate): void {
  const hold = () =>
    new Promise<void>((release) => {
      leaving.addEventListener('abort', () => release());
      take(leaving);
    });
  // Given up while still in the queue, the request ends in an error that means nothing.
  navigator.locks.request(name, { signal: leaving }, hold).catch(() => {});
}

type Word = { kind: 'who' | 'mine' | 'free'; tab: number };

/** How long the tab whose turn it is has to say so. The rest is chance, so that two tabs seldom begin as one. */
const ANSWER_MS = 100;
const CHANCE_MS = 80;
/** A tab that was put to sleep says nothing; it is missed at the next look. */
const LOOK_MS = 15_000;

function takeTurnsByWord(name: string, leaving: AbortSignal, take: Candidate): void {
  const channel = new BroadcastChannel(`${name}.turn`);
  const tab = Math.random();
  let turn: AbortController | undefined;
  let isAsking = false;
  let isAway = false;
  let heardAt = Number.NEGATIVE_INFINITY;
  const say = (kind: Word['kind']) => channel.postMessage({ kind, tab } satisfies Word);

  const HEAR: Record<Word['kind'], (other: number) => void> = {
    who: () => void (turn !== undefined && say('mine')),
    mine: (other) => {
      heardAt = performance.now();
      if (turn === undefined) return;
      // Two that began as one: the lower number stays.
      if (tab < other) say('mine');
      else endTurn();
    },
    free: () => void ask(),
  };
  channel.onmessage = ({ data }: MessageEvent<Word>) => HEAR[data.kind](data.tab);

  async function ask(): Promise<void> {
    if (turn !== undefined || isAsking || isAway || leaving.aborted) return;
    isAsking = true;
    const askedAt = performance.now();
    say('who');
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS + Math.random() * CHANCE_MS));
    isAsking = false;
    if (heardAt >= askedAt || isAway || leaving.aborted) return;
    turn = new AbortController();
    say('mine');
    take(turn.signal);
  }

  function endTurn(): void {
    turn?.abort();
    turn = undefined;
  }

  /** Tells the others before it is too late to say anything. A tab that is left may be come back to. */
  function leave(): void {
    isAway = true;
    if (turn !== undefined) say('free');
    endTurn();
  }

  const look = () => (turn === undefined ? void ask() : say('mine'));
  const comeBack = () => {
    if (document.hidden) return;
    isAway = false;
    look();
  };
  const timer = setInterval(look, LOOK_MS);
  addEventListener('pagehide', leave);
  document.addEventListener('freeze', leave);
  document.addEventListener('visibilitychange', comeBack);
  leaving.addEventListener('abort', () => {
    leave();
    clearInterval(timer);
    removeEventListener('pagehide', leave);
    document.removeEventListener('freeze', leave);
    document.removeEventListener('visibilitychange', comeBack);
    channel.close();
  });
  void ask();
}
