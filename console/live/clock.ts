// The clock of the console: a signal that ticks once per second. Each heartbeat sets it to the time of the hub, so that
// ages are correct when the local clock is wrong.
import { signal } from '@preact/signals';

const TICK_MS = 1_000;

let ahead = 0;

export const now = signal(Date.now());

export function startClock(): void {
  setInterval(tick, TICK_MS);
  document.addEventListener('visibilitychange', tick);
}

function tick(): void {
  if (!document.hidden) now.value = hubTime();
}

export function hubTime(): number {
  return Date.now() + ahead;
}

export function setHubTime(moment: number): void {
  if (!Number.isFinite(moment)) return;
  ahead = moment - Date.now();
  now.value = moment;
}
