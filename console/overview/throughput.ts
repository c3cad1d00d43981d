// How much went through the hub lately, kept up to date at a pace that costs nobody anything.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { account } from '../account/account.ts';
import { type Throughput, throughput } from '../live/api.ts';
import { onLiveEvent } from '../live/live-events.ts';

export const SPANS = { hour: 1, day: 24 } as const;
export type Span = keyof typeof SPANS;

/** At most so often while tasks move, and so often when nothing does: the clock moves the picture too. */
const PACE_MS = 3_000;
/** What begins a burst brings the rest of it along. */
const FIRST_MS = 300;
const IDLE_MS = 60_000;

export function useThroughput(span: Span): Signal<Throughput | null> {
  const known = useSignal<Throughput | null>(null);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let askedAt = 0;
    const load = async () => {
      askedAt = performance.now();
      const answer = await throughput({ network_id: account.value?.network_id, hours: SPANS[span] }).catch(() => null);
      if (!isOver && answer !== null) known.value = answer;
    };
    const soon = (pause: number) => {
      timer ??= setTimeout(() => ((timer = undefined), void load()), pause);
    };
    known.value = null;
    void load();
    const idle = setInterval(() => document.hidden || soon(0), IDLE_MS);
    const end = onLiveEvent(
      ({ type }) => type === 'task' && soon(Math.max(FIRST_MS, askedAt + PACE_MS - performance.now())),
    );
    return () => {
      isOver = true;
      end();
      clearInterval(idle);
      clearTimeout(timer);
    };
  }, [span]);
  return known;
}
