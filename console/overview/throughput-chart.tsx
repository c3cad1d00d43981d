// The throughput chart: sent tasks as a line, finished tasks as columns by outcome. The chart library loads with this
// component.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Span } from '../fleet/spans.ts';
import { theme } from '../frame/theme.ts';
import { language, words } from '../i18n/language.ts';
import type { Bucket, Throughput } from '../live/api.ts';
import { momentOf, shortTime, wholeNumber } from '../parts/format.ts';
import { tasksPath } from '../routes.ts';
import type { TaskAge } from '../tasks/task-filter.ts';
import { chartData, drawChart, SERIES, type SeriesName } from './chart.ts';

export function ThroughputChart({ data, span }: { data: Throughput; span: Span }) {
  const { overview } = words.value;
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const pointed = useSignal<number | null>(null);
  const bucket = pointed.value === null ? undefined : data.buckets[pointed.value];
  const isQuiet = SERIES.every((name) => sum(data.buckets, name) === 0);
  // Colors are read from the stylesheet when the chart is drawn, so a theme change redraws it.
  useEffect(() => {
    if (container.current === null) return undefined;
    const drawing = drawChart(container.current, data, (index) => (pointed.value = index));
    void drawing.then((drawn) => (chart.current = drawn));
    return () => {
      chart.current = null;
      void drawing.then((drawn) => drawn.destroy());
    };
  }, [theme.value, language.value, span]);
  useEffect(() => chart.current?.setData(chartData(data)), [data]);
  return (
    <>
      <Legend buckets={bucket === undefined ? data.buckets : [bucket]} span={span} />
      <div
        class="chart"
        ref={container}
        role="img"
        aria-label={overview.chart(sum(data.buckets, 'sent'), finished(data.buckets))}
      >
        {isQuiet && <p class="chart-empty">{overview.noThroughput}</p>}
        {bucket !== undefined && <p class="chart-time">{shortTime(momentOf(bucket.at), language.value)}</p>}
      </div>
    </>
  );
}

const AGES: Record<Span, TaskAge> = { hour: 'under-1h', day: 'under-1d', week: 'under-7d' };

function Legend({ buckets, span }: { buckets: readonly Bucket[]; span: Span }) {
  const { series } = words.value.overview;
  const age = AGES[span];
  return (
    <ul class="legend">
      {SERIES.map((name) => (
        <li key={name}>
          <a
            class="legend-link"
            data-series={name}
            href={tasksPath({ status: name === 'sent' ? undefined : name, age })}
          >
            <span class="legend-swatch" />
            <span class="legend-number">{wholeNumber(sum(buckets, name), language.value)}</span>
            {series[name]}
          </a>
        </li>
      ))}
    </ul>
  );
}

function sum(buckets: readonly Bucket[], name: SeriesName): number {
  return buckets.reduce((total, bucket) => total + bucket[name], 0);
}

function finished(buckets: readonly Bucket[]): number {
  return SERIES.filter((name) => name !== 'sent').reduce((total, name) => total + sum(buckets, name), 0);
}
