// A notice: an error or an event, with an optional action.
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'error' | 'warning' | 'info' | 'good';
const ICONS: Record<Tone, IconName> = { error: 'warning', warning: 'warning', info: 'info', good: 'check' };

export function Notice({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <div class="notice" data-tone={tone} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon name={ICONS[tone]} />
      <div class="notice-text">{children}</div>
    </div>
  );
}
