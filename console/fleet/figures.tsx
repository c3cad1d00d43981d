// How fast an agent or a network starts and settles tasks, and how many fail, over the last hour, day or week.
import type { ComponentChildren } from 'preact';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { type Figures, type FigureTimes, figures } from '../live/api.ts';
import { useRefreshed } from '../live/refreshed.ts';
import { Panel } from '../overview/panel.tsx';
import { Choice } from '../parts/choice.tsx';
import { decimal, failuresOf, lasting, noteOf, percent } from './figure-text.ts';
import { hoursOf, SPAN_NAMES, type Span, spanIn } from './spans.ts';

/** Without an alias, the figures of the whole network. */
type Whose = { network_id: string | undefined; alias?: string };

export function FiguresPanel({ network_id, alias }: Whose) {
  const { figures: text } = words.value;
  const { query, replace } = useAddress();
  const span = spanIn(query);
  const { known, failed } = useRefreshed(JSON.stringify([network_id, alias, span]), () =>
    figures({ network_id, alias, hours: hoursOf(span) }),
  );
  const options = SPAN_NAMES.map((value) => ({ value, label: text.spans[value] }));
  const choose = (value: Span) => replace({ span: value === 'hour' ? undefined : value });
  const choice = (
    <Choice name="figures-span" legend={words.value.overview.span} options={options} chosen={span} onChoose={choose} />
  );
  return (
    <Panel id="figures" title={text.title} total={undefined} actions={choice}>
      {failed.value && <p class="text-block-empty">{words.value.live.listFailed}</p>}
      {known.value !== null ? (
        <Stats shown={known.value} />
      ) : (
        !failed.value && <div class="figures-room" role="status" aria-label={words.value.loading} />
      )}
    </Panel>
  );
}

function Stats({ shown }: { shown: Figures }) {
  const { figures: text } = words.value;
  const { queue_age_ms, time_to_start, time_to_settle, failure_rate, settled_per_hour } = shown;
  return (
    <>
      <div class="stats figures">
        <Stat label={text.queueAge} value={queue_age_ms === null ? text.empty : lasting(queue_age_ms)} />
        <Times label={text.timeToStart} times={time_to_start} />
        <Times label={text.timeToSettle} times={time_to_settle} />
        <Stat label={text.failureRate} value={failure_rate === null ? '–' : percent(failure_rate)}>
          {failure_rate !== null && text.failures(...failuresOf(shown))}
        </Stat>
        <Stat label={text.throughput} value={decimal(settled_per_hour)} />
      </div>
      <p class="text-block-empty">{noteOf(shown)}</p>
    </>
  );
}

function Times({ label, times: { p50_ms, p95_ms } }: { label: string; times: FigureTimes }) {
  return (
    <Stat label={label} value={p50_ms === null ? '–' : lasting(p50_ms)}>
      {p95_ms !== null && words.value.figures.p95(lasting(p95_ms))}
    </Stat>
  );
}

function Stat({ label, value, children }: { label: string; value: string; children?: ComponentChildren }) {
  return (
    <div class="stat">
      <span class="stat-value">{value}</span>
      <span class="stat-label">{label}</span>
      <span class="stat-label">{children}</span>
    </div>
  );
}
