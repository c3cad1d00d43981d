// A call of one of the hub's tools, as an agent makes it: the demo agents have no other way in.
import { RequestError, request } from '../live/request.ts';

type ToolAnswer = { result: { content: [{ text: string }]; isError?: boolean } };

export type CallTool = <Answer>(name: string, args: object) => Promise<Answer>;

export function toolCaller(token: string, signal?: AbortSignal): CallTool {
  let id = 0;
  return async <Answer>(name: string, args: object) => {
    id += 1;
    const body = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
    const { result } = await request<ToolAnswer>('POST', '/mcp', { token, body, ...(signal && { signal }) });
    const told: Answer & { error?: string; message?: string } = JSON.parse(result.content[0].text);
    if (result.isError === true) throw new RequestError(200, told.error ?? 'unknown', told.message ?? '');
    return told;
  };
}
