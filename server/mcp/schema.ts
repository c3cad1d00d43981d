// From an operation's one schema to what tools/list shows. Lengths and ranges stay out of it: the answer to a wrong
// argument names them, and every client pays for this list in every conversation.
import { toJsonSchema } from '@valibot/to-json-schema';
import type { InputSchema } from '../operations/operation.ts';
import type { Tool } from './tools.ts';

export function describeTool({ operation, effect, alwaysLoad }: Tool) {
  return {
    name: operation.name,
    description: operation.summary,
    inputSchema: inputSchema(operation.input),
    annotations: effect,
    ...(alwaysLoad === true && { _meta: { 'anthropic/alwaysLoad': true } }),
  };
}

function inputSchema(schema: InputSchema) {
  const { $schema: _, ...described } = toJsonSchema(schema, { errorMode: 'ignore', ignoreActions: ['check', 'metadata'], typeMode: 'input' });
  return described;
}
