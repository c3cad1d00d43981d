// Sees to it that of all the tabs of a browser the demo agents live in one: before they come to life in a tab, the
// others are asked; of two that began at once, one gives up.
import { signal } from '@preact/signals';
import { demoPlace } from './place.ts';

type Word = { kind: 'who' | 'here' | 'gone' | 'end'; place: string; tab: number; since: number };

const ANSWER_MS = 250;

const channel = new BroadcastChannel('agenthub.demo');
const tab = Math.random();

/** They live in another tab. */
export const livesElsewhere = signal(false);

let isHere = false;
let since = Infinity;
let end = () => {};

channel.onmessage = ({ data }: MessageEvent<Word>) => {
  if (data.place !== demoPlace.value) return;
  if (data.kind === 'who' && isHere) say('here');
  if (data.kind === 'here') hearOf(data);
  if (data.kind === 'gone') livesElsewhere.value = false;
  if (data.kind === 'end' && isHere) end();
};

/**
 * Of two tabs, the one in which they have lived longer goes on; of two that began at once, the one with the lower
 * number.
 */
function hearOf(other: Word): void {
  if (isHere && (since < other.since || (since === other.since && tab < other.tab))) return void say('here');
  livesElsewhere.value = true;
  if (isHere) end();
}

addEventListener('pagehide', leave);

function say(kind: Word['kind']): void {
  channel.postMessage({ kind, place: demoPlace.value, tab, since } satisfies Word);
}

/** Takes this tab for them, unless they live in another. `onEnd` is called when they are to live here no longer. */
export async function settleHere(onEnd: () => void): Promise<boolean> {
  if (await lookElsewhere()) return false;
  isHere = true;
  since = performance.timeOrigin + performance.now();
  end = onEnd;
  say('here');
  return true;
}

/** Whether they live in another tab; answers as soon as one says so. */
export async function lookElsewhere(): Promise<boolean> {
  livesElsewhere.value = false;
  say('who');
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ANSWER_MS);
    const stop = livesElsewhere.subscribe((lives) => lives && done());
    function done(): void {
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve();
    }
  });
  return livesElsewhere.value;
}

/** They live here no longer. */
export function leave(): void {
  if (isHere) say('gone');
  isHere = false;
}

/** Wherever they live, there they end. */
export function endElsewhere(): void {
  if (livesElsewhere.value) say('end');
  livesElsewhere.value = false;
}
