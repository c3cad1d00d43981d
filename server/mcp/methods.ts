// The MCP methods the hub answers, as a table from name to result. A result is JSON text.
import type { Caller } from '../domain/caller.ts';
import { HubError, permissionDenied } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { perform } from '../operations/operation.ts';
import { INVALID_PARAMS, isObject, RpcError, type RpcRequest } from './envelope.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { toolError, toolResult, type ToolResult } from './results.ts';
import { describeTool } from './schema.ts';
import { findTool, TOOLS, type Tool } from './tools.ts';

/** Revisions of the protocol with a handshake that the hub speaks, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

type Method = (hub: Hub, caller: Caller, params: RpcRequest['params']) => Promise<string> | string;

export const METHODS: Readonly<Record<string, Method>> = {
  initialize: (hub, _caller, params) => JSON.stringify(initialize(hub, params)),
  ping: () => '{}',
  'tools/list': () => toolList(),
  'tools/call': async (hub, caller, params) => JSON.stringify(await callTool(hub, caller, params)),
};

function initialize(hub: Hub, params: RpcRequest['params']) {
  const wanted = LEGACY_VERSIONS.find((version) => version === params.protocolVersion);
  return {
    protocolVersion: wanted ?? LEGACY_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'agenthub', version: hub.version },
    instructions: INSTRUCTIONS,
  };
}

let listed: string | undefined;

// Byte-stable, and written out once: clients keep it in their prompt caches.
function toolList(): string {
  return (listed ??= JSON.stringify({ tools: TOOLS.map(describeTool) }));
}

async function callTool(hub: Hub, caller: Caller, params: RpcRequest['params']): Promise<ToolResult> {
  const tool = typeof params.name === 'string' ? findTool(params.name) : undefined;
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `unknown tool: ${String(params.name)}`);
  const { arguments: given = {} } = params;
  if (!isObject(given)) throw new RpcError(INVALID_PARAMS, 'arguments must be an object');
  return runTool(hub, caller, tool, given);
}

// One of the two places that catch: a failed tool is a result that the agent reads.
async function runTool(hub: Hub, caller: Caller, tool: Tool, given: object): Promise<ToolResult> {
  try {
    if (caller.token_kind === 'user') throw permissionDenied('tools take a network token (ntok_…), this is a user token');
    return toolResult(await perform(tool.operation, hub, caller, given));
  } catch (error) {
    if (error instanceof HubError) return toolError(error);
    throw error;
  }
}
