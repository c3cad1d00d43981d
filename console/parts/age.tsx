// A relative time that updates, with the exact time on hover. Only its text updates with the clock.
import { useComputed } from '@preact/signals';
import { language } from '../i18n/language.ts';
import { now } from '../live/clock.ts';
import { age, duration, exactTime, momentOf, shortTime } from './format.ts';

export function Age({ of: timestamp }: { of: string }) {
  const moment = momentOf(timestamp);
  // The time is part of the key, because a computed signal of this component would keep its first value.
  return <LiveAge key={moment} moment={moment} />;
}

function LiveAge({ moment }: { moment: number }) {
  const text = useComputed(() => age(moment, now.value, language.value));
  return (
    <time class="age" dateTime={isoOf(moment)} title={exactTime(moment, language.value)}>
      {text}
    </time>
  );
}

/** The elapsed time in its two largest units. */
export function Elapsed({ since }: { since: string }) {
  const moment = momentOf(since);
  return <LiveDuration key={moment} moment={moment} />;
}

function LiveDuration({ moment }: { moment: number }) {
  const text = useComputed(() => duration(now.value - moment, language.value));
  return (
    <time class="age" dateTime={isoOf(moment)} title={exactTime(moment, language.value)}>
      {text}
    </time>
  );
}

export function Moment({ at }: { at: string }) {
  const moment = momentOf(at);
  return (
    <time dateTime={isoOf(moment)} title={exactTime(moment, language.value)}>
      {shortTime(moment, language.value)}
    </time>
  );
}

function isoOf(moment: number): string {
  return Number.isNaN(moment) ? '' : new Date(moment).toISOString();
}
