// The hooks of each client: the files that contain them, and the entries that pass events to the hub and wake an idle
// session. Entries of an earlier connection are replaced; those of a person are kept.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isLoopbackName, nameOf } from '../../domain/addresses.ts';
import { SESSION_START } from '../../domain/hooks/hook-clients.ts';
import { programInShell } from '../this-program.ts';
import { type ClientName, type Connection, codexHome, type Scope, SERVER, TOKEN_VARIABLE } from './clients.ts';
import { commandLine, shellWord } from './command-line.ts';
import { type JsonPath, memberOf } from './json-text.ts';
import { itemIn, placeIn, withItem } from './list-items.ts';

export type HookSetup = {
  file: Readonly<Record<Scope, () => string>>;
  /** What is set in the file. */
  values: (settings: unknown, connection: Connection) => Values;
  /** What a person should know. */
  notes: readonly string[];
};

const ALLOWED = ['permissions', 'allow'];
/** Lets Claude Code call the tools of the hub without asking. */
const PERMISSION = `mcp__${SERVER}`;
/** Lets Qwen Code start the waiter without asking. */
const waiterPermission = () => `Bash(${[...programInShell(), 'wake'].map(shellWord).join(' ')} *)`;
const WAITER_PERMISSION = /^Bash\(.*(?:agenthub|main\.ts)\S* wake \*\)$/;

const BY_SHELL =
  'New mail wakes an idle session through a background shell, which the agent starts when a hook tells it the command.';

/** A client drops what a hook prints later, and the hub has counted it as told. The command itself waits 3 seconds for the hub. */
export const COMMAND_TIMEOUT_SECONDS = 30;
const HTTP_TIMEOUT_SECONDS = 5;
const DAY_SECONDS = 86_400;

const home = (...path: string[]) => join(homedir(), ...path);
const here = (...path: string[]) => join(process.cwd(), ...path);

/** Entries written by `connect`, of any version. */
const OWN = /\/hooks\/claude-code\?alias=|\b(?:hook [a-z-]+|wake)\b.* --alias /;

function isOwn(entry: unknown): boolean {
  const text = JSON.stringify(entry);
  return text !== undefined && OWN.test(text);
}

type Handler = Readonly<Record<string, unknown>>;

/** Groups of handlers, as Claude Code has them. A group to which a person added a handler is theirs. */
function isOwnGroup(group: unknown): boolean {
  const hooks = memberOf(group, 'hooks');
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every(isOwn);
}

type Values = readonly (readonly [JsonPath, unknown])[];

function inGroups(settings: unknown, handlers: Readonly<Record<string, readonly Handler[]>>): Values {
  return Object.entries(handlers).map(([event, hooks]) => [
    ['hooks', event, placeIn(memberOf(memberOf(settings, 'hooks'), event), isOwnGroup)],
    { hooks },
  ]);
}

function inLists(settings: unknown, events: readonly string[], handler: Handler): Values {
  return events.map((event) => [
    ['hooks', event, placeIn(memberOf(memberOf(settings, 'hooks'), event), isOwn)],
    handler,
  ]);
}

const CLAUDE_EVENTS = ['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'];

function claudeValues(settings: unknown, connection: Connection): Values {
  const { url, token, scope, alias } = connection;
  const isReference = scope === 'project';
  const command = {
    type: 'command',
    command: commandLine(['hook', 'claude-code'], connection),
    timeout: COMMAND_TIMEOUT_SECONDS,
  };
  // They save a process per tool call, but Claude Code sends none to private addresses.
  const notify = isLoopbackName(nameOf(new URL(url).host))
    ? {
        type: 'http',
        url: `${url}/hooks/claude-code?alias=${encodeURIComponent(alias)}`,
        headers: { Authorization: `Bearer ${isReference ? `$${TOKEN_VARIABLE}` : token}` },
        ...(isReference && { allowedEnvVars: [TOKEN_VARIABLE] }),
        timeout: HTTP_TIMEOUT_SECONDS,
      }
    : command;
  const wake = {
    type: 'command',
    command: commandLine(['wake'], connection),
    asyncRewake: true,
    rewakeSummary: 'agenthub: new mail',
    timeout: DAY_SECONDS,
  };
  return [
    ...inGroups(settings, {
      ...Object.fromEntries(CLAUDE_EVENTS.map((event) => [event, [notify]])),
      UserPromptSubmit: [command], // of a refused http hook, the person would see only the status
      SessionStart: [wake],
      Stop: [notify, wake],
    }),
    withItem(settings, ALLOWED, PERMISSION),
    ...(isReference
      ? [withItem(settings, ['enabledMcpjsonServers'], SERVER), [['env', TOKEN_VARIABLE], token] as const]
      : []),
  ];
}

/** Handlers that run `agenthub hook`, one for each event. */
function commands(client: ClientName, events: readonly string[], connection: Connection, timeout: number) {
  const handler = { type: 'command', command: commandLine(['hook', client], connection), timeout };
  return Object.fromEntries(events.map((event) => [event, [handler]]));
}

const SECOND_MS = 1_000;

export const HOOK_SETUPS: Partial<Record<ClientName, HookSetup>> = {
  claude: {
    // For a project, the file that Claude Code keeps out of version control, because an alias belongs to one person.
    file: { user: () => home('.claude', 'settings.json'), project: () => here('.claude', 'settings.local.json') },
    values: claudeValues,
    notes: ['An idle session is woken by new mail.'],
  },
  codex: {
    file: { user: () => join(codexHome(), 'hooks.json'), project: () => here('.codex', 'hooks.json') },
    values: (settings, connection) => {
      const exec = 'codex queue --thread {session} --message {line}';
      const wake = {
        type: 'command',
        command: commandLine(['wake', '--exec', exec], connection),
        timeout: COMMAND_TIMEOUT_SECONDS,
      };
      return inGroups(settings, {
        ...commands('codex', CLAUDE_EVENTS, connection, COMMAND_TIMEOUT_SECONDS),
        SessionStart: [wake],
      });
    },
    notes: ['Codex asks once whether to trust the hooks. An idle session is woken by new mail.'],
  },
  gemini: {
    file: { user: () => home('.gemini', 'settings.json'), project: () => here('.gemini', 'settings.json') },
    values: (settings, connection) => {
      const events = ['BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd'];
      return inGroups(settings, commands('gemini', events, connection, COMMAND_TIMEOUT_SECONDS * SECOND_MS));
    },
    notes: ['Gemini CLI cannot be woken when it is idle; use agenthub work --alias ALIAS -- gemini -p for that.'],
  },
  qwen: {
    file: { user: () => home('.qwen', 'settings.json'), project: () => here('.qwen', 'settings.json') },
    values: (settings, connection) => [
      ...inGroups(settings, commands('qwen', [SESSION_START, ...CLAUDE_EVENTS], connection, COMMAND_TIMEOUT_SECONDS)),
      withItem(settings, ALLOWED, waiterPermission(), WAITER_PERMISSION),
    ],
    notes: [BY_SHELL],
  },
  copilot: {
    file: {
      user: () => home('.copilot', 'hooks', 'agenthub.json'),
      project: () => here('.github', 'hooks', 'agenthub.json'),
    },
    values: (settings, connection) => [
      [['version'], 1],
      ...inLists(settings, [SESSION_START, ...CLAUDE_EVENTS], {
        type: 'command',
        bash: commandLine(['hook', 'copilot'], connection),
        timeoutSec: COMMAND_TIMEOUT_SECONDS,
      }),
    ],
    notes: [`${BY_SHELL} Copilot asks whether it may; choose that it need not ask again.`],
  },
  cursor: {
    file: { user: () => home('.cursor', 'hooks.json'), project: () => here('.cursor', 'hooks.json') },
    values: (settings, connection) => [
      [['version'], 1],
      ...inLists(settings, ['beforeSubmitPrompt', 'postToolUse', 'stop', 'sessionEnd'], {
        command: commandLine(['hook', 'cursor'], connection),
      }),
    ],
    notes: ['Written from the documentation of Cursor, and not tested with it.'],
  },
};

/** OpenCode has a plugin instead; see edits.ts. */
export function hasHooks(client: ClientName): boolean {
  return client === 'opencode' || HOOK_SETUPS[client] !== undefined;
}

/** Tells the token that `connect` has set from a value of a person, such as a reference. */
const TOKEN_START = 'ntok_';

/** What `connect` has set in the settings, as the path of the first such value; undefined if nothing is left. */
export function firstOwn(settings: unknown): JsonPath | undefined {
  for (const [event, list] of Object.entries(Object(memberOf(settings, 'hooks')))) {
    const index = Array.isArray(list)
      ? list.findIndex((entry) => (memberOf(entry, 'hooks') === undefined ? isOwn(entry) : isOwnGroup(entry)))
      : -1;
    if (index >= 0) return ['hooks', event, index];
  }
  const token: unknown = memberOf(memberOf(settings, 'env'), TOKEN_VARIABLE);
  return (
    itemIn(settings, ALLOWED, PERMISSION) ??
    itemIn(settings, ALLOWED, WAITER_PERMISSION) ??
    itemIn(settings, ['enabledMcpjsonServers'], SERVER) ??
    (typeof token === 'string' && token.startsWith(TOKEN_START) ? ['env', TOKEN_VARIABLE] : undefined)
  );
}
