// What the hub offers over MCP: its operations as tools, and its resources, prompt and completions.
import { ask, type Call } from './call.ts';
import type { CallableTool, Catalogue, ToolRun } from './catalogue.ts';
import { ALIAS_COMPLETIONS } from './completion.ts';
import { CHECK_INBOX } from './prompts.ts';
import { findHubResource, RESOURCES, TEMPLATES } from './resources.ts';
import { describeTool } from './schema.ts';
import { TOOLS, type Tool, waitingSeconds } from './tools.ts';

export const HUB_CATALOGUE: Catalogue = {
  tools: TOOLS.map(callable),
  resources: RESOURCES,
  resourceTemplates: TEMPLATES,
  prompts: [CHECK_INBOX],
  completions: ALIAS_COMPLETIONS,
  findResource: findHubResource,
};

function callable(tool: Tool): CallableTool {
  return {
    name: tool.operation.name,
    describe: () => describeTool(tool),
    begin: (call, given) => begin(tool, call, given),
    waitsBy: tool.waits?.argument,
  };
}

function begin(tool: Tool, { caller }: Call, given: Readonly<Record<string, unknown>>): ToolRun {
  const seconds = caller.token_kind === 'user' ? 0 : waitingSeconds(tool, given); // a user token is refused immediately
  return runOf(tool, seconds > 0 ? knownOf(tool, given) : given, seconds);
}

// A wait can last minutes, so only the arguments that the tool reads are kept.
function knownOf({ operation }: Tool, given: Readonly<Record<string, unknown>>): object {
  const names = Object.keys(operation.input.entries).filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/** The result of the operation is one text in compact JSON. */
function runOf({ operation }: Tool, input: object, seconds: number): ToolRun {
  return {
    seconds,
    ...(seconds > 0 && { given: input }),
    run: async (asking, gone) => {
      const result = await ask(asking, operation, input, gone);
      return { content: [{ type: 'text', text: JSON.stringify(result) }] };
    },
  };
}
