// The targets, and the table of what was measured against them.
import { median } from '../bench/median.ts';
import type { Sample } from './browsers.ts';

export type Busy = { samples: readonly Sample[]; sent: number; seconds: number; rate: number };
export type Result = { what: string; figure: string; target: string; passed: boolean };

/** Of the frames of the empty page, which is 60 per second on a machine with time to spare. */
const MIN_FRAMES = 0.95;
const MAX_ELEMENTS = 2_000;
/** From a quarter of the time, when the caches are full, to the end. */
const MAX_GROWTH_BYTES = 12 * 2 ** 20;
const MAX_BYTES = 500_000;
/** Of the wanted number of tasks. With fewer, the other figures mean nothing. */
const MIN_SENT = 0.98;

export function checkBusy({ samples, sent, seconds, rate }: Busy): Result[] {
  const heaps = samples.filter(({ page }) => page === 'tasks, for long').map(({ heapBytes }) => heapBytes);
  const growth = (heaps.at(-1) ?? Number.NaN) - (heaps[Math.floor(heaps.length / 2)] ?? Number.NaN);
  return [
    result('tasks sent', `${sent}`, `≥ ${Math.floor(MIN_SENT * seconds * rate)}`, sent >= MIN_SENT * seconds * rate),
    ...byPage(samples).flatMap(([page, all]) => checkPage(`busy hub, ${page}`, all)),
    result(
      'busy hub, growth of memory',
      megabytes(growth),
      `< ${megabytes(MAX_GROWTH_BYTES)}`,
      growth < MAX_GROWTH_BYTES,
    ),
  ];
}

export function checkFull(samples: readonly Sample[]): Result[] {
  return samples.flatMap((sample) => {
    const { page, bytes, heapBytes } = sample;
    const what = `full hub, ${page}`;
    return [
      ...checkPage(what, [sample]),
      result(
        `${what}: downloaded (memory ${megabytes(heapBytes)})`,
        kilobytes(bytes),
        `< ${kilobytes(MAX_BYTES)}`,
        bytes < MAX_BYTES,
      ),
    ];
  });
}

function byPage(samples: readonly Sample[]): [page: string, samples: Sample[]][] {
  return Object.entries(Object.groupBy(samples, ({ page }) => page)).map(([page, all = []]) => [page, all]);
}

function checkPage(what: string, samples: readonly Sample[]): Result[] {
  const frames = median(samples.map((sample) => sample.frames / sample.emptyFrames));
  const [own, empty, stall] = (['frames', 'emptyFrames', 'stallMs'] as const).map((name) =>
    median(samples.map((sample) => sample[name])).toFixed(0),
  );
  const elements = Math.max(...samples.map((sample) => sample.elements));
  const rows = Math.max(...samples.map((sample) => sample.rows));
  return [
    result(
      `${what}: frames/s (longest pause ${stall} ms)`,
      `${own} of ${empty}`,
      `≥ ${MIN_FRAMES * 100} %`,
      frames >= MIN_FRAMES,
    ),
    result(`${what}: elements (${rows} rows)`, String(elements), `< ${MAX_ELEMENTS}`, elements < MAX_ELEMENTS),
  ];
}

function result(what: string, figure: string, target: string, passed: boolean): Result {
  return { what, figure, target, passed };
}

export function report(results: readonly Result[]): string {
  const widths = (['what', 'figure', 'target'] as const).map((name) =>
    Math.max(...results.map((each) => each[name].length)),
  );
  const [what = 0, figure = 0, target = 0] = widths;
  return results
    .map((each) =>
      [
        each.what.padEnd(what),
        each.figure.padStart(figure),
        each.target.padEnd(target),
        each.passed ? 'ok' : 'MISSED',
      ].join('  '),
    )
    .join('\n')
    .concat('\n');
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(0)} kB`;
}
