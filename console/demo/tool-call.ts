// Calls a tool of the hub over MCP, which is the only interface the demo agents use.
import { RequestError, request } from '../live/request.ts';

type ToolAnswer = { result: { content: [{ text: string }]; isError?: boolean } };

export type CallTool = <Answer>(name: string, args: object) => Promise<Answer>;

export function toolCaller(token: string, signal?: AbortSignal): CallTool {
  let id = 0;
  return async <Answer>(name: string, args: object) => {
    id += 1;
    const body = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
    const { result } = await request<ToolAnswer>('POST', '/mcp', { token, body, ...(signal && { signal }) });
    const parsed: Answer & { error?: string; message?: string } = JSON.parse(result.content[0].text);
    if (result.isError === true) throw new RequestError(200, parsed.error ?? 'unknown', parsed.message ?? '');
    return parsed;
  };
}
