// From an operation's one schema to what tools/list shows: names, types, words to choose from, and what must be given.
// Every client pays for this list in every conversation, so it leaves out whatever else can tell: lengths, ranges and
// defaults are in the reference and in the answer to a wrong argument, and most parameters say by their name what they
// are.
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { Tool } from './tools.ts';

// The name stands last: to a program the order is the same, and to a tokenizer this one is 17 tokens shorter.
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
    UNLISTED,
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

// Taken, and not listed: it is for programs that repeat a call, and those know of it; an agent would pay 40 tokens to
// be told every time.
const UNLISTED = 'idempotency_key';

/** The parameters whose name does not say enough. */
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
