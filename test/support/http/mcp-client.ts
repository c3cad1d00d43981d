// The MCP door as an agent meets it: one POST a tool call, the answer parsed out of the result's text.
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../json.ts';

/** What a tool answered instead of a result: the interface's exact word, and the line beside it. */
export class ToolError extends Error {
  readonly error: string;
  constructor(error: string, message: string) {
    super(`${error}: ${message}`);
    this.error = error;
  }
}

export type McpClient = {
  /** The tool's result; throws a ToolError when the tool refused, and any other error when the protocol did. */
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
      if (response.status !== 200) throw new Error(`${tool} was answered ${response.status} ${text}`);
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

function resultIn(tool: string, answer: JsonObject): JsonObject {
  if (!isObject(answer.result)) throw new Error(`${tool} was answered ${JSON.stringify(answer)}`);
  const [content] = listOf(objectOf(answer, 'result'), 'content');
  const told = objectIn(textOf(content ?? {}, 'text'));
  if (answer.result.isError !== true && told.ok === true) return told;
  throw new ToolError(textOf(told, 'error'), textOf(told, 'message'));
}
