// What an MCP endpoint offers: its tools, resources, prompts and completions. The methods know only this value. The hub
// offers the one in hub-catalogue.ts; scripts/conformance.ts runs the fixtures of the official suite through another.
import type { EventName } from '../domain/events.ts';
import type { Asking, Call } from './call.ts';
import type { InputRequired } from './results.ts';

export type Catalogue = Readonly<{
  tools: readonly CallableTool[];
  resources: readonly ({ uri: string } & Named)[];
  resourceTemplates: readonly ({ uriTemplate: string } & Named)[];
  prompts: readonly Prompt[];
  completions: readonly Completion[];
  /** The resource with this URI, listed or from a template. */
  findResource(uri: string): Resource | undefined;
}>;

type Named = { name: string; title?: string; description?: string; mimeType?: string };

export type CallableTool = {
  name: string;
  /** Its entry in tools/list. */
  describe(): object;
  begin(call: Call, given: Readonly<Record<string, unknown>>): ToolRun;
  /** The argument that holds the seconds of its wait, which then survives a restart of the hub. */
  waitsBy?: string | undefined;
};

/** A call of a tool, ready to run. A HubError that it throws becomes a tool error. */
export type ToolRun = {
  /** How long it may wait; 0 if it responds immediately. Otherwise the response is late, with progress until then. */
  seconds: number;
  /** The arguments with which a wait can be resumed. */
  given?: object;
  /** Ends early when `gone` is aborted. A wait can last minutes, so it must not keep the call or its params. */
  run(asking: Asking, gone?: AbortSignal): Promise<ToolResult | InputRequired>;
};

export type ToolResult = { content: readonly Content[]; isError?: true };

export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; mimeType: string; data: string }
  | { type: 'resource'; resource: { uri: string } & ResourceContent };

/** Text, or bytes in base64. */
export type ResourceContent = { mimeType: string } & ({ text: string } | { blob: string });

export type Resource = {
  read(asking: Asking): Promise<ResourceContent>;
  /** The events that signal a change: of this inbox or of any. `changedBy` limits them to these names. */
  topic: { inbox?: string };
  changedBy?: readonly EventName[];
};

export type Prompt = {
  /** Its entry in prompts/list. */
  listed: { name: string; title?: string; description?: string; arguments?: readonly PromptArgument[] };
  /** Receives the listed arguments that are non-empty texts; the required ones are always present. */
  get(given: Readonly<Record<string, string>>, params: Call['params']): PromptResult | InputRequired;
};

type PromptArgument = { name: string; description: string; required: boolean };

export type PromptResult = {
  description?: string;
  messages: readonly { role: 'user' | 'assistant'; content: Content }[];
};

/** Completes one argument of a prompt or of a resource template. */
export type Completion = {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  argument: string;
  complete(asking: Asking, beginning: string): Promise<Values>;
};

/** `total` counts the values that fit, if it is known. */
export type Values = {
  values: readonly string[];
  total?: number | undefined;
  hasMore: boolean;
};
