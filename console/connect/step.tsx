// One step of a guide with its number, or a check mark when it is done.
import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icon.tsx';

type StepProps = { number: number; title: string; state: 'open' | 'now' | 'done'; children: ComponentChildren };

export function Step({ number, title, state, children }: StepProps) {
  const id = `step-${number}`;
  return (
    <li class="guide-step" data-state={state}>
      <span class="guide-mark" aria-hidden="true">
        {state === 'done' ? <Icon name="check" /> : number}
      </span>
      <section class="card" aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        {children}
      </section>
    </li>
  );
}
