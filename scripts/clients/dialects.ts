// Formats a tool call and the end of a turn for four model APIs, as server-sent events. Every id is new, as from a real
// model: Claude Code merges messages with the same id.
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from './json.ts';

export type Tool = { name: string; namespace: string | undefined };

export type Dialect = {
  path: RegExp;
  /** The member of the request that contains the conversation. */
  turns: string;
  isResult: (part: JsonObject) => boolean;
  call: (tool: Tool, args: object) => object[];
  end: (text: string) => object[];
};

function newId(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}

const anthropicMessage = {
  type: 'message',
  role: 'assistant',
  model: 'stand-in',
  content: [],
  stop_reason: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

function anthropic(block: object, delta: object, reason: string): object[] {
  return [
    { type: 'message_start', message: { id: newId('msg'), ...anthropicMessage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
}

function openai(item: object): object[] {
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  };
  const id = newId('resp');
  return [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, usage } },
  ];
}

function gemini(part: object): object[] {
  const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 };
  return [
    { candidates: [candidate], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } },
  ];
}

function chat(delta: object, reason: string): object[] {
  const chunk = { id: newId('chat'), object: 'chat.completion.chunk', created: 0, model: 'stand-in' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
  ];
}

export const DIALECTS: readonly Dialect[] = [
  {
    path: /^\/v1\/messages$/,
    turns: 'messages',
    isResult: ({ type }) => type === 'tool_result',
    call: ({ name }, args) =>
      anthropic(
        { type: 'tool_use', id: newId('toolu'), name, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(args) },
        'tool_use',
      ),
    end: (text) => anthropic({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn'),
  },
  {
    path: /^\/v1\/responses$/,
    turns: 'input',
    isResult: ({ type }) => type === 'function_call_output',
    call: ({ name, namespace }, args) =>
      openai({ type: 'function_call', call_id: newId('call'), name, namespace, arguments: JSON.stringify(args) }),
    end: (text) =>
      openai({ type: 'message', role: 'assistant', id: newId('m'), content: [{ type: 'output_text', text }] }),
  },
  {
    path: /^\/v1\/chat\/completions$/,
    turns: 'messages',
    isResult: ({ role }) => role === 'tool',
    call: ({ name }, args) => {
      const called = { name, arguments: JSON.stringify(args) };
      return chat({ tool_calls: [{ index: 0, id: newId('call'), type: 'function', function: called }] }, 'tool_calls');
    },
    end: (content) => chat({ content }, 'stop'),
  },
  {
    path: /:streamGenerateContent$/,
    turns: 'contents',
    isResult: ({ functionResponse }) => functionResponse !== undefined,
    call: ({ name }, args) => gemini({ functionCall: { id: newId('call'), name, args } }),
    end: (text) => gemini({ text }),
  },
];

/** Returns every nested object, starting with the value itself. */
export function objectsIn(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

/** The items of the conversation. */
export function itemsOf({ turns }: Dialect, body: JsonObject): JsonObject[] {
  const items = body[turns];
  return Array.isArray(items) ? items.filter(isObject) : [];
}

/** Whether the model wrote the item. */
export function isOfModel({ role, type }: JsonObject): boolean {
  return role === 'assistant' || role === 'model' || type === 'function_call';
}

/** Finds the tool by its name, or else by the name that this client uses for a tool of the hub. */
export function toolOffered(body: JsonObject, wanted: string): Tool | undefined {
  const offers = objectsIn(body.tools).filter(({ name }) => typeof name === 'string');
  const found = offers.find(({ name }) => name === wanted) ?? offers.find(({ name }) => String(name).endsWith(wanted));
  if (typeof found?.name !== 'string') return undefined;
  const group = offers.find(({ type, tools }) => type === 'namespace' && Array.isArray(tools) && tools.includes(found));
  return { name: found.name, namespace: typeof group?.name === 'string' ? group.name : undefined };
}
