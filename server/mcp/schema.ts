// From an operation's one schema to what tools/list shows: names, types, words to choose from, and what must be given.
// Every client pays for this list in every conversation, so it leaves out whatever else can tell: lengths, ranges and
// defaults are in the reference and in the answer to a wrong argument, and most parameters say by their name what they are.
import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import type { AnyOperation } from '../operations/operation.ts';
import type { Tool } from './tools.ts';

export function describeTool({ operation, effect, alwaysLoad }: Tool) {
  return {
    name: operation.name,
    description: operation.summary,
    inputSchema: inputSchema(operation),
    annotations: effect,
    ...(alwaysLoad === true && { _meta: { 'anthropic/alwaysLoad': true } }),
  };
}

function inputSchema({ input }: AnyOperation) {
  const { properties = {}, required = [] } = toJsonSchema(input, { errorMode: 'ignore', typeMode: 'input' });
  const listed = Object.entries(properties).filter(([parameter]) => !UNLISTED.has(parameter));
  return {
    type: 'object',
    properties: Object.fromEntries(listed.map(([parameter, schema]) => [parameter, terse(parameter, schema)])),
    ...(required.length > 0 && { required }),
  };
}

// Taken, and not listed: network_id can only be the token's own, an agent repeats a call too seldom to be told of
// idempotency_key every time, and a second page it finds by narrowing the first.
const UNLISTED = new Set(['network_id', 'idempotency_key', 'cursor']);

/** The parameters whose name does not say enough. */
const EXPLAINED = new Set(['resume_id', 'task', 'channels', 'from_session']);

function terse(parameter: string, schema: JsonSchema | boolean): object {
  if (typeof schema === 'boolean') return {};
  const { type, enum: words, items, description } = schema;
  return {
    type,
    ...(words !== undefined && { enum: words }),
    ...(typeof items === 'object' && !Array.isArray(items) && { items: { type: items.type } }),
    ...(EXPLAINED.has(parameter) && description !== undefined && { description }),
  };
}
