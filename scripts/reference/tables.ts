// The tables with one row for each entry of a table in the code: tools, metrics, configuration keys.
import { KEYS, type Key } from '../../server/config/keys.ts';
import { inputMembers } from '../../server/http/documents/input-schema.ts';
import { METRICS } from '../../server/http/metrics-table.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { INPUT_LEGEND, inputs, table } from './markdown.ts';

export function toolTable(): string {
  const rows = TOOLS.map(({ operation: { name, input, summary } }) => [
    `\`${name}\``,
    inputs(inputMembers(input)),
    summary,
  ]);
  return `${INPUT_LEGEND}\n\n${table(['tool', 'parameters', 'does'], rows)}`;
}

export function metricTable(): string {
  const rows = METRICS.map(({ name, kind, labels, help }) => [`\`${name}\``, kind, labels.join(', '), help]);
  return table(['metric', 'kind', 'labels', 'meaning'], rows);
}

export function configurationTable(): string {
  const rows = Object.entries<Key>(KEYS).map(([key, { fallback, about, placeholder, alias }]) => [
    [key, ...(alias === undefined ? [] : [alias])].map((name) => `\`${name}\``).join(', '),
    placeholder,
    fallback === '' ? '' : `\`${fallback}\``,
    about,
  ]);
  return table(['key', 'value', 'default', 'meaning'], rows);
}
