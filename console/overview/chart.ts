// Draws the throughput chart with uPlot, which is loaded on first use.
import type uPlot from 'uplot';
import { language } from '../i18n/language.ts';
import type { Throughput } from '../live/api.ts';
import { momentOf } from '../parts/format.ts';

/** The line first, then the columns from bottom to top. */
export const SERIES = ['sent', 'replied', 'failed', 'cancelled', 'expired'] as const;
export type SeriesName = (typeof SERIES)[number];
const COLUMNS = ['expired', 'cancelled', 'failed', 'replied'] as const;

/**
 * Values are centered in their bucket. Stacked columns are drawn from the baseline to their cumulative top, the highest
 * first, so that lower ones cover it.
 */
export function chartData({ buckets, bucket_seconds }: Throughput): uPlot.AlignedData {
  const at = buckets.map((bucket) => momentOf(bucket.at) / 1_000 + bucket_seconds / 2);
  const upTo = (last: number) =>
    buckets.map((bucket) => COLUMNS.slice(last).reduce((sum, name) => sum + bucket[name], 0));
  return [at, ...COLUMNS.map((_, index) => upTo(index)), buckets.map(({ sent }) => sent)];
}

export async function drawChart(
  container: HTMLElement,
  data: Throughput,
  onPoint: (index: number | null) => void,
): Promise<uPlot> {
  const Plot = await loadPlot();
  const color = (name: string) => colorOf(container, name);
  const bars = Plot.paths.bars?.({ size: [0.72, 40] });
  const column = (name: string): uPlot.Series => ({
    fill: color(name),
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  });
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const axis = {
    stroke: color('axis'),
    font: `${0.6875 * rem}px ${getComputedStyle(container).fontFamily}`,
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    ...sizeOf(container),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    padding: [8, 20, 0, 0],
    scales: {
      x: { range: (_, first, last) => [first - data.bucket_seconds / 2, last + data.bucket_seconds / 2] },
      y: { range: (_, __, most) => [0, Math.max(4, Math.ceil(most * 1.15))] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 1.625 * rem,
        gap: 6,
        space: 4.375 * rem,
        values: (_, splits) => splits.map(data.bucket_seconds > HOUR_SECONDS ? dayAndMonth : hourAndMinute),
      },
      {
        ...axis,
        grid: { stroke: color('grid'), width: 1 },
        size: 2.375 * rem,
        gap: 6,
        space: 2.25 * rem,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000],
      },
    ],
    series: [{}, ...COLUMNS.map(column), { stroke: color('sent'), width: 1.75, points: { show: false } }],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
  const plot = new Plot(options, chartData(data), container);
  const resizing = new ResizeObserver(() => plot.setSize(sizeOf(container)));
  resizing.observe(container);
  const { destroy } = plot;
  plot.destroy = () => {
    resizing.disconnect();
    destroy.call(plot);
  };
  return plot;
}

/**
 * On load, uPlot creates a number format for the browser language, and some browsers report an invalid language tag.
 */
async function loadPlot(): Promise<typeof uPlot> {
  if (!isLanguageTag(navigator.language))
    Object.defineProperty(navigator, 'language', { value: language.value, configurable: true });
  return (await import('uplot')).default;
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function sizeOf(container: HTMLElement) {
  return { width: Math.max(200, container.clientWidth), height: Math.max(160, container.clientHeight) };
}

/** A canvas cannot use CSS variables, so the color is read from an element that has it. */
function colorOf(container: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.dataset['series'] = name;
  container.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const HOUR_SECONDS = 3_600;

function hourAndMinute(seconds: number): string {
  return timeText(seconds, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

function dayAndMonth(seconds: number): string {
  return timeText(seconds, { month: 'short', day: 'numeric' });
}

function timeText(seconds: number, parts: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language.value, parts).format(seconds * 1_000);
}
