// MCP as an agent uses it: one POST per tool call, with the response parsed from the result's text.
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../json.ts';

/** The error of a tool: the exact error code, and its explanation. */
export class ToolError extends Error {
  readonly error: string;
  constructor(error: string, message: string) {
    super(`${error}: ${message}`);
    this.error = error;
  }
}

export type McpClient = {
  /** The tool's result. Throws a ToolError when the tool fails, and any other error when the protocol does. */
  call(tool: string, args?: object): Promise<JsonObject>;
};

export function mcpClient(url: string, token: string): McpClient {
  return {
    call: async (tool, args = {}) => {
      const response = await postRpc(url, token, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: args },
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${tool} returned ${response.status} ${text}`);
      return resultIn(tool, objectIn(text));
    },
  };
}

export function postRpc(url: string, token: string, message: unknown): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
  };
  return fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
}

function resultIn(tool: string, response: JsonObject): JsonObject {
  if (!isObject(response.result)) throw new Error(`${tool} returned ${JSON.stringify(response)}`);
  const [content] = listOf(objectOf(response, 'result'), 'content');
  const value = objectIn(textOf(content ?? {}, 'text'));
  if (response.result.isError !== true && value.ok === true) return value;
  throw new ToolError(textOf(value, 'error'), textOf(value, 'message'));
}
