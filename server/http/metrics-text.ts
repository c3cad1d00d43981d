// Writes the text of /metrics from the table of metrics.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Counter, Gauge, Registry } from 'prom-client';
import type { Distribution } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';
import { COUNTERS, GAUGES, HISTOGRAMS, type Labels, type Open, type Row } from './metrics-table.ts';

/** The first request loads the library and its process metrics, so an unmonitored hub pays nothing. */
export function metricsText(hub: Hub, open: Open): () => Promise<string> {
  let begun: Promise<Registry> | undefined;
  return async () => {
    const registry = await (begun ??= begin(hub, open));
    return `${await registry.metrics()}\n${HISTOGRAMS.map((row) => histogramText(row, hub, open)).join('\n\n')}\n`;
  };
}

const LAG_STEP_MS = 20;

async function begin(hub: Hub, open: Open): Promise<Registry> {
  const { default: prometheus } = await import('prom-client');
  await turn(); // loading and setup take 5 ms each
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_STEP_MS });
  for (const [name, labelNames, help, read] of GAUGES) {
    const fill = (gauge: Gauge): void => {
      gauge.reset();
      if (labelNames.length === 0) gauge.remove(); // a gauge without a value would be 0
      read(hub, open).forEach(([labels, value]) => gauge.set(labels, value));
    };
    new prometheus.Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        fill(this);
      },
    });
  }
  for (const [name, labelNames, help, read] of COUNTERS) {
    const fill = (counter: Counter): void => {
      counter.reset();
      read(hub, open).forEach(([labels, value]) => counter.inc(labels, value));
    };
    new prometheus.Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        fill(this);
      },
    });
  }
  await sleep(3 * LAG_STEP_MS); // so that the first reading includes a lag
  return registry;
}

// The library's histogram takes 170 ns per value and cannot be filled with counts; this one takes 6 ns.
function histogramText([name, , help, read]: Row<Distribution>, hub: Hub, open: Open): string {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...read(hub, open).flatMap(([labels, seen]) => histogramLines(name, labels, seen)),
  ].join('\n');
}

function histogramLines(name: string, labels: Labels, { bounds, counts, sum }: Distribution): string[] {
  let below = 0;
  const buckets = counts.map(
    (count, index) =>
      `${name}_bucket${labelText({ ...labels, le: String(bounds[index] ?? '+Inf') })} ${(below += count)}`,
  );
  return [...buckets, `${name}_sum${labelText(labels)} ${sum}`, `${name}_count${labelText(labels)} ${below}`];
}

// Route patterns and operation names need no escaping.
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
