// The one clock of the console: a signal that moves once a second, set to the hub's time by each heartbeat, so that
// ages are right on a machine whose clock is not.
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
