// The setup of each client: the hub as `agenthub connect` writes it, the mock model, and telemetry disabled. Commands are
// shell lines, as a person would paste them, without any option that skips permissions.
import type { ClientName } from './install.ts';

export const ALIAS = 'builder';
const PROMPT = '"look into your inbox"';

export type HubAccess = { home: string; hub: string; token: string; model: string };

export type Setup = {
  env: (access: HubAccess) => Record<string, string>;
  /** Paths relative to the home directory. */
  files: (access: HubAccess) => Record<string, string>;
  /** Whether `list` connects to the server, so that its output shows more than the configuration. */
  list: string;
  turn: string;
};

/** Everything that a person runs to connect the client. The program is the built executable. */
export function connectLine(client: ClientName): string {
  return `agenthub connect ${client} --hooks --write --alias ${ALIAS}`;
}

export const SETUPS: Readonly<Record<ClientName, Setup>> = {
  claude: {
    env: ({ home, model }) => ({
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: () => ({}),
    list: 'claude mcp list',
    turn: `claude -p ${PROMPT}`,
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
  },
};
