// The table of metrics: every row that /metrics is made of.
import { METRICS } from '../../server/http/metrics-text.ts';
import { table } from './table.ts';

export function metricTable(): string {
  return table(
    ['metric', 'kind', 'labels', 'tells'],
    METRICS.map(({ name, kind, labels, help }) => [`\`${name}\``, kind, labels.join(', '), help]),
  );
}
