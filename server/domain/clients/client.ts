// What agenthub knows about the client of a coding agent. Each client is one literal in a file of its name, and
// `clients.ts` lists them. They are pure: paths are relative, and commands are functions.
import type { Moment, Moments } from '../hooks/moments.ts';
import type { Agent, Files, Scope, Setup } from './setup.ts';

/** The response to a hook event, as the client expects it. */
export type HookResponse = Readonly<Record<string, unknown>>;

/** Puts a text into the form in which the model of the client receives it. */
export type Form = (text: string, event: string) => HookResponse;

/** An event as the client sends it. */
export type HookEvent = Readonly<Record<string, unknown>>;

/** An entry of a hook file. */
export type Handler = Readonly<Record<string, unknown>>;

/** What the entries of a hook file depend on. */
export type HookedAgent = Agent & {
  scope: Scope;
  token: string;
  /** The hub runs on this machine. */
  isLocal: boolean;
  /** A command of agenthub for this agent, as a line for a shell. */
  line: (...words: readonly string[]) => string;
};

type Path = readonly string[];

/** The settings that `connect --hooks` writes. */
export type HookSettings = {
  /** groups: lists of `{ hooks: […] }`, as Claude Code has them. items: lists of handlers. */
  layout: 'groups' | 'items';
  files: Files;
  handlers: (agent: HookedAgent) => Readonly<Record<string, readonly Handler[]>>;
  /** The version of the file format, if the file must name it. */
  version?: number;
  /** Items of lists that let the client use the hub without asking. */
  permissions?: Readonly<Record<Scope, readonly (readonly [list: Path, item: string])[]>>;
  /** Lets the agent start its waiter without asking: the item of a list, and the pattern of earlier ones. */
  waiter?: { list: Path; item: (program: string) => string; own: RegExp };
  /** Where the settings of a project set HUB_TOKEN. The file must then stay out of version control. */
  token?: Path;
};

/** `plugin`: a file of agenthub that the client runs. */
export type HookInstallation = HookSettings | { layout: 'plugin'; files: Files };

/** What a client may do in a repository without asking, as `connect` writes it to a file of the user. */
export type Approvals = {
  file: string;
  /** The path of the list in the file. */
  list: (repository: string) => Path;
  /** The item for all tools of the hub. */
  tools: object;
  /** The item for a command with any arguments. Most commands of agenthub can run other programs. */
  command: (name: string) => object;
};

export type Hooks = {
  moments: Moments;
  /** Our name for some events, if the client's name does not tell two moments apart. */
  eventName?: (event: HookEvent) => string | undefined;
  /** A text that a client cannot take at one moment waits for the next. */
  forms: Partial<Record<Moment, Form>>;
  /** The client's names for fields of its events, where they differ from those of `POST /hooks/:client`. */
  fields?: Readonly<Record<string, string>>;
  /** How often in a row the client lets a hook extend a turn. */
  maxExtensions: number;
  /**
   * Set if new mail wakes an idle session only through the end of a background shell, which the model starts: the event
   * whose response tells the model so.
   */
  wokenByShell?: { event: string; form: Form };
  /** Undefined if a person adds them by hand. */
  installation?: HookInstallation;
  /** A sentence for the person who has added them. */
  note?: string;
};

/** The program in a shell, and the version that `npm run clients` tests. */
export type Program = { command: string; version: string };

/**
 * Where the directory of the user's files may be instead: a variable names another, which then also holds the files
 * that are otherwise in the home directory itself. Some systems have another below the home directory. An empty
 * directory is the home directory.
 */
export type Moved = { directory: string; variable: string; on?: Readonly<Partial<Record<'darwin' | 'win32', string>>> };

/** Remarks in the tables of the README, in Markdown. */
export type Remarks = { configuration?: string; tells?: string; wakes?: string };

export type Client = { program?: Program; moved?: Moved; approvals?: Approvals; readme?: Remarks } & (
  | { setup: Setup & { hook: string }; hooks: Hooks }
  | { setup: Setup & { hook?: never }; hooks?: never }
);

/** A client with hooks. */
export type HookClient = Extract<Client, { hooks: Hooks }>;

/** Cursor's default, also used for clients that document no limit. */
export const USUAL_EXTENSIONS = 5;

/**
 * How long a client waits for a hook that runs a command. It drops what a hook prints later, which the hub has counted
 * as told. The command itself waits 3 seconds for the hub.
 */
export const HOOK_SECONDS = 30;

/** Carries no moment of a turn. */
export const SESSION_START = 'SessionStart';

/** Claude Code's names, which others have taken over. */
export const CLAUDE_MOMENTS = {
  UserPromptSubmit: 'prompt',
  PostToolUse: 'tool',
  Stop: 'turn end',
  SessionEnd: 'session end',
} as const satisfies Moments;

export const asContext: Form = (additionalContext, hookEventName) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});
export const asFlatContext: Form = (additionalContext) => ({ additionalContext });
export const asBlock: Form = (reason) => ({ decision: 'block', reason });
export const asDenial: Form = (reason) => ({ decision: 'deny', reason });

/** The same handler for each event of the client. */
export function atEach(moments: Moments, handler: Handler): Readonly<Record<string, readonly Handler[]>> {
  return Object.fromEntries(Object.keys(moments).map((event) => [event, [handler]]));
}
