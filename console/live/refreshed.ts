// What the hub computes from many tasks. It is reloaded at a low rate while tasks change, and at a lower rate
// otherwise, since it also depends on the time.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type LiveEvent, onLiveEvent } from './live-events.ts';
import { atMostEvery } from './throttle.ts';

const BUSY_MS = 3_000;
const IDLE_MS = 60_000;

/** Null until loaded. Another key loads something else. `busyMs` is the rate while tasks change. */
export function useRefreshed<Loaded>(
  key: string,
  ask: () => Promise<Loaded>,
  mayChange: (event: LiveEvent, loaded: Loaded | null) => boolean = ({ type }) => type === 'task',
  busyMs = BUSY_MS,
) {
  const known: Signal<Loaded | null> = useSignal<Loaded | null>(null);
  const latest = useRef({ ask, mayChange });
  latest.current = { ask, mayChange };
  const failed = useSignal(false);
  useEffect(() => {
    let isOver = false;
    const load = async () => {
      const found = await latest.current.ask().catch(() => null);
      if (isOver) return;
      failed.value = found === null;
      known.value = found ?? known.value;
    };
    const loading = atMostEvery(busyMs, () => void load());
    known.value = null;
    void load();
    const idle = setInterval(() => document.hidden || loading.soon(), IDLE_MS);
    const end = onLiveEvent((event) => latest.current.mayChange(event, known.value) && loading.soon());
    return () => {
      isOver = true;
      end();
      loading.stop();
      clearInterval(idle);
    };
  }, [key]);
  return { known, failed };
}
