// Loads recent throughput and refreshes it at a low rate.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { account } from '../account/account.ts';
import { type Throughput, throughput } from '../live/api.ts';
import { onLiveEvent } from '../live/live-events.ts';

export const SPANS = { hour: 1, day: 24 } as const;
export type Span = keyof typeof SPANS;

/** The refresh intervals while tasks change and while nothing changes. The time axis moves in both cases. */
const MIN_INTERVAL_MS = 3_000;
/** The delay collects a burst of changes into one request. */
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
      timer ??= setTimeout(() => {
        timer = undefined;
        void load();
      }, pause);
    };
    known.value = null;
    void load();
    const idle = setInterval(() => document.hidden || soon(0), IDLE_MS);
    const end = onLiveEvent(
      ({ type }) => type === 'task' && soon(Math.max(FIRST_MS, askedAt + MIN_INTERVAL_MS - performance.now())),
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
