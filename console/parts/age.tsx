// How long ago something was, living, with the exact moment on hover. Only its text moves with the clock.
import { useComputed } from '@preact/signals';
import { language } from '../i18n/language.ts';
import { now } from '../live/clock.ts';
import { age, duration, exactTime, momentOf, shortTime } from './format.ts';

export function Age({ of: timestamp }: { of: string }) {
  const moment = momentOf(timestamp);
  // The moment is part of the key: a computed signal of this component would otherwise keep the first one.
  return <LivingAge key={moment} moment={moment} />;
}

function LivingAge({ moment }: { moment: number }) {
  const text = useComputed(() => age(moment, now.value, language.value));
  return (
    <time class="age" dateTime={isoOf(moment)} title={exactTime(moment, language.value)}>
      {text}
    </time>
  );
}

/** How long it has been going on, to the two largest units. */
export function Lasting({ since }: { since: string }) {
  const moment = momentOf(since);
  return <LivingDuration key={moment} moment={moment} />;
}

function LivingDuration({ moment }: { moment: number }) {
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
