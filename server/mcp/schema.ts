// Converts the schema of an operation to its entry in tools/list: names, types, enums and required parameters. Every
// client pays for this list in every conversation, so it omits the rest: lengths, ranges and defaults are in the
// reference and in the errors for invalid arguments, and most parameter names are self-explanatory.
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { Tool } from './tools.ts';

// The name comes last: programs ignore the order, and this one takes 17 fewer tokens.
export function describeTool(tool: Tool) {
  const { operation, effect, alwaysLoad } = tool;
  return {
    description: operation.summary,
    inputSchema: inputSchema(tool),
    annotations: effect,
    ...(alwaysLoad === true && { _meta: { 'anthropic/alwaysLoad': true } }),
    name: operation.name,
  };
}

function inputSchema({ operation: { input }, listsNetwork, hidesLimit }: Tool) {
  const { properties = {}, required = [] } = toJsonSchema(input, { errorMode: 'ignore', typeMode: 'input' });
  const hidden = [
    ...UNLISTED,
    ...(listsNetwork === true ? [] : ['network_id']),
    ...(hidesLimit === true ? ['limit'] : []),
  ];
  const isListed = (parameter: string): boolean => !hidden.includes(parameter);
  const listed = Object.entries(properties).filter(([parameter]) => isListed(parameter));
  return {
    type: 'object',
    properties: Object.fromEntries(listed.map(([parameter, schema]) => [parameter, terse(parameter, schema)])),
    ...(required.length > 0 && { required }),
  };
}

// Accepted but not listed: they are for programs, which know them from the reference, and listing them costs 50 tokens.
const UNLISTED = ['idempotency_key', 'peek'];

/** The parameters whose name needs a description. */
const EXPLAINED = new Set(['task', 'channels', 'from_session']);

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
