// The result of a tool call: the result or error of the operation as one text in compact JSON.
import { type HubError, InvalidInput } from '../domain/errors.ts';

export type ToolResult = { content: [{ type: 'text'; text: string }]; isError?: true };

export function toolResult(result: object): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(result) }] };
}

/** `error` is the exact string of the interface; `message` is one line that explains to an agent what to do. */
export function toolError(error: HubError): ToolResult {
  const code = error instanceof InvalidInput ? 'invalid_arguments' : error.code;
  const text = JSON.stringify({ ok: false, error: code, message: error.message });
  return { content: [{ type: 'text', text }], isError: true };
}
