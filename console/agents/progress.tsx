// The progress that an agent reports.
import { words } from '../i18n/language.ts';

export function Progress({ percent, label }: { percent: number; label: string }) {
  return (
    <span class="progress">
      <progress max={100} value={percent} aria-label={label} />
      <span class="progress-number">{words.value.agents.progress(Math.round(percent))}</span>
    </span>
  );
}
