// The setup of each client: the hub as `agenthub connect` writes it, the mock model, and telemetry disabled. Commands
// are shell lines, as a person would paste them, without any option that skips permissions.
import type { ClientName } from './install.ts';

export const ALIAS = 'builder';
const PROMPT = '"look into your inbox"';

export type HubAccess = { home: string; hub: string; token: string; model: string };

export type Setup = {
  /** The line that connects it, if it is not the usual one. */
  connect?: string;
  env: (access: HubAccess) => Record<string, string>;
  /** Paths relative to the home directory. */
  files: (access: HubAccess) => Record<string, string>;
  /** Whether `list` connects to the server, so that its output shows more than the configuration. */
  list: string;
  turn: string;
  /** What a turn without a person proves: the hook events that run, and whether its end is extended for new mail. */
  oneTurn: { hooks: readonly string[]; isExtended: boolean };
  session: InteractiveSession;
};

/** A background shell that the model starts, and how the model calls it. */
export type ShellWait = { tool: string; args: (command: string) => object };

/** A question of the client, and the keys that answer it. */
export type Dialog = { shows: RegExp; keys: readonly string[] };

export type InteractiveSession = {
  start: string;
  /** What the client asks in the first session. */
  dialogs: readonly Dialog[];
  /** Shown when a prompt can be entered. */
  ready: RegExp;
  /** How new mail wakes it when it is idle; undefined if nothing does. */
  wokenBy: 'hook' | 'plugin' | ShellWait | undefined;
  /** How long the session may be without tools after a call failed because the hub was down; none if undefined. */
  withoutToolsMs?: number;
  /** The keys that interrupt a turn; Escape if undefined. */
  interrupt?: readonly string[];
};

/** Everything that a person runs to connect the client. The program is the built executable. */
export function connectLine(client: ClientName): string {
  return SETUPS[client].connect ?? `agenthub connect ${client} --hooks --write --alias ${ALIAS}`;
}

const CLAUDE: Setup = {
  env: ({ home, model }) => ({
    CLAUDE_CONFIG_DIR: `${home}/.claude`,
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  files: () => ({
    '.claude/.claude.json': JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: ['none'] },
    }),
  }),
  list: 'claude mcp list',
  turn: `claude -p ${PROMPT}`,
  oneTurn: { hooks: ['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'], isExtended: true },
  session: {
    start: 'claude',
    dialogs: [{ shows: /trust this folder/, keys: ['Down', 'Enter'] }],
    ready: /shift\+tab to cycle/,
    wokenBy: 'hook',
  },
};

export const SETUPS: Readonly<Record<ClientName, Setup>> = {
  claude: CLAUDE,
  'claude-plugin': {
    ...CLAUDE,
    // Runs the line that it prints.
    connect: `sh -c "$(agenthub connect claude --plugin --write --alias ${ALIAS} | grep '^  claude ')"`,
  },
  codex: {
    env: ({ home }) => ({ CODEX_HOME: `${home}/.codex`, MODEL_KEY: 'none' }),
    files: ({ model }) => ({
      '.codex/config.toml': `model = "stand-in"
model_provider = "stand-in"
check_for_update_on_startup = false
analytics.enabled = false
feedback.enabled = false
features = { plugins = false, apps = false }
model_providers.stand-in = { name = "stand-in", base_url = "${model}/v1", wire_api = "responses", env_key = "MODEL_KEY" }
`,
    }),
    list: 'codex mcp list',
    turn: `codex exec --skip-git-repo-check ${PROMPT}`,
    // `codex exec` skips hooks that a person has not trusted in its dialog.
    oneTurn: { hooks: [], isExtended: false },
    session: {
      start: 'codex',
      dialogs: [
        { shows: /Trust this folder/, keys: ['Enter'] },
        { shows: /[Hh]ooks/, keys: ['Down', 'Enter'] },
      ],
      ready: /Ask Codex/,
      wokenBy: 'hook',
    },
  },
  gemini: {
    env: ({ model }) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model, GEMINI_TELEMETRY_ENABLED: 'false' }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    }),
    list: 'gemini mcp list',
    turn: `gemini --model gemini-2.5-pro --prompt ${PROMPT}`,
    oneTurn: { hooks: ['BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd'], isExtended: true },
    session: {
      start: 'gemini --model gemini-2.5-pro',
      dialogs: [],
      ready: /Type your message/,
      wokenBy: undefined,
    },
  },
  qwen: {
    env: ({ model }) => ({
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: 'stand-in',
    }),
    files: () => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableUpdateNag: true },
        ui: { enableFollowupSuggestions: false }, // a call to the model after each turn
      }),
    }),
    list: 'qwen mcp list',
    turn: `qwen --prompt ${PROMPT}`,
    oneTurn: { hooks: ['UserPromptSubmit', 'PostToolUse', 'Stop'], isExtended: true },
    session: {
      start: 'qwen',
      dialogs: [],
      ready: /Type your message/,
      wokenBy: {
        tool: 'run_shell_command',
        args: (command) => ({ command, description: 'Wait for mail', is_background: true }),
      },
      withoutToolsMs: 100_000, // it looks for the server after three checks, one each 30 s
    },
  },
  copilot: {
    env: ({ model }) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_MODEL: 'stand-in',
    }),
    files: () => ({}),
    list: 'copilot mcp list',
    turn: `copilot --prompt ${PROMPT}`,
    oneTurn: { hooks: ['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'], isExtended: true },
    session: {
      start: 'copilot',
      dialogs: [{ shows: /2\. Yes, and remember this folder/, keys: ['Down', 'Enter'] }],
      ready: /\? help/,
      wokenBy: {
        tool: 'bash',
        args: (command) => ({ command, description: 'Wait for mail', mode: 'async' }),
      },
    },
  },
  opencode: {
    env: () => ({}),
    files: ({ model }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: 'local/stand-in',
        provider: {
          local: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${model}/v1`, apiKey: 'none' },
            models: { 'stand-in': { name: 'stand-in' } },
          },
        },
      }),
    }),
    list: 'opencode mcp list',
    turn: `opencode run ${PROMPT}`,
    // `opencode run` exits when the turn ends.
    oneTurn: { hooks: ['chat.message', 'tool.execute.after', 'session.idle'], isExtended: false },
    session: {
      start: 'opencode',
      dialogs: [],
      ready: /ctrl\+p commands/,
      wokenBy: 'plugin',
      interrupt: ['Escape', 'Escape'],
    },
  },
};
