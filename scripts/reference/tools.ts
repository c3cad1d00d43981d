// The table of tools.
import { inputMembers } from '../../server/http/documents/input-schema.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { INPUT_LEGEND, inputs, table } from './table.ts';

export function toolTable(): string {
  const rows = TOOLS.map(({ operation: { name, input, summary } }) => [
    `\`${name}\``,
    inputs(inputMembers(input)),
    summary,
  ]);
  return `${INPUT_LEGEND}\n\n${table(['tool', 'parameters', 'does'], rows)}`;
}
