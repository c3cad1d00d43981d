// The clients that run hooks: what each calls the moments of a turn, and the form in which its model receives a text.
// A text that a client cannot take at one moment waits for the next.
import type { SessionStatus } from '../session.ts';

/** When a client runs a hook: a prompt is submitted, a tool has run, the turn ends, the session ends. */
export type Moment = 'prompt' | 'tool' | 'turn end' | 'session end';

/** The response to a hook event, as the client expects it. */
export type HookResponse = Readonly<Record<string, unknown>>;
type Form = (text: string, event: string) => HookResponse;

export type HookClient = {
  /** The name that people know. */
  title: string;
  moments: Readonly<Record<string, Moment>>;
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
};

const CLAUDE_MOMENTS = {
  UserPromptSubmit: 'prompt',
  PostToolUse: 'tool',
  Stop: 'turn end',
  SessionEnd: 'session end',
} as const satisfies HookClient['moments'];

const asContext: Form = (additionalContext, hookEventName) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});
const asFlatContext: Form = (additionalContext) => ({ additionalContext });
const asBlock: Form = (reason) => ({ decision: 'block', reason });
const asDenial: Form = (reason) => ({ decision: 'deny', reason });

/** Carries no moment of a turn. */
export const SESSION_START = 'SessionStart';

/** Cursor's default, also used for clients that document no limit. */
const USUAL_EXTENSIONS = 5;

export const HOOK_CLIENTS = {
  'claude-code': {
    title: 'Claude Code',
    moments: CLAUDE_MOMENTS,
    forms: { prompt: asContext, tool: asContext, 'turn end': asContext },
    maxExtensions: 8,
  },
  codex: {
    title: 'Codex CLI',
    moments: CLAUDE_MOMENTS,
    forms: { prompt: asContext, tool: asContext, 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
  },
  gemini: {
    title: 'Gemini CLI',
    moments: { BeforeAgent: 'prompt', AfterTool: 'tool', AfterAgent: 'turn end', SessionEnd: 'session end' },
    forms: { prompt: asContext, tool: asContext, 'turn end': asDenial },
    maxExtensions: USUAL_EXTENSIONS,
  },
  qwen: {
    title: 'Qwen Code',
    moments: CLAUDE_MOMENTS,
    forms: { prompt: asContext, tool: asContext, 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
    wokenByShell: { event: SESSION_START, form: asContext },
  },
  copilot: {
    title: 'Copilot CLI',
    moments: CLAUDE_MOMENTS,
    forms: { prompt: asFlatContext, tool: asFlatContext, 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
    wokenByShell: { event: SESSION_START, form: asFlatContext },
  },
  opencode: {
    title: 'OpenCode',
    moments: {
      'chat.message': 'prompt',
      'tool.execute.after': 'tool',
      'session.idle': 'turn end',
      'session.deleted': 'session end',
    },
    forms: { prompt: asFlatContext, tool: asFlatContext, 'turn end': asFlatContext },
    maxExtensions: USUAL_EXTENSIONS,
  },
  cursor: {
    title: 'Cursor',
    moments: { beforeSubmitPrompt: 'prompt', postToolUse: 'tool', stop: 'turn end', sessionEnd: 'session end' },
    fields: { conversation_id: 'session_id' },
    // It takes no text with a prompt.
    forms: {
      tool: (additional_context) => ({ additional_context }),
      'turn end': (followup_message) => ({ followup_message }),
    },
    maxExtensions: USUAL_EXTENSIONS,
  },
  goose: {
    title: 'Goose',
    moments: CLAUDE_MOMENTS,
    fields: { event: 'hook_event_name', working_dir: 'cwd' },
    // It ignores the output of its other hooks.
    forms: { 'turn end': asBlock },
    maxExtensions: USUAL_EXTENSIONS,
  },
} as const satisfies Record<string, HookClient>;

export type HookClientName = keyof typeof HOOK_CLIENTS;

export const HOOK_CLIENT_NAMES = Object.keys(HOOK_CLIENTS) as [HookClientName, ...HookClientName[]];

/** Undefined for events that are only heartbeats. */
export function momentOf({ moments }: HookClient, event: string): Moment | undefined {
  return Object.hasOwn(moments, event) ? moments[event] : undefined;
}

const STATUS_AT: Readonly<Record<Moment, SessionStatus>> = {
  prompt: 'working',
  tool: 'working',
  'turn end': 'idle',
  'session end': 'offline',
};

/** A turn that the response extends does not end. */
export function statusAt(moment: Moment, isExtended: boolean): SessionStatus {
  return isExtended ? 'working' : STATUS_AT[moment];
}
