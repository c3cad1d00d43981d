// The table of MCP clients: for each one, its configuration files, the entry for a hub, and its own command for it.
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { JsonPath } from './json-text.ts';
import { type TableName, type TomlKeys, tomlString } from './toml-text.ts';

/** user: all projects, with the token in the file. project: one directory, with a reference to HUB_TOKEN. */
export type Scope = 'user' | 'project';

export const SERVER = 'hub';
export const TOKEN_VARIABLE = 'HUB_TOKEN';

/** `bearer` follows "Bearer ": the token, or the client's syntax for a reference to HUB_TOKEN. */
export type JsonEntry = {
  format: 'json';
  values: (url: string, bearer: string) => readonly [path: JsonPath, value: unknown][];
};
export type TomlEntry = {
  format: 'toml';
  table: TableName;
  keys: (url: string, bearer: string | undefined) => TomlKeys;
};

export type ClientSetup = {
  title: string;
  scope: Scope;
  file: Readonly<Record<Scope, () => string>>;
  entry: JsonEntry | TomlEntry;
  reference: string;
  /** The client's own command to add the hub, if it has one. */
  command?: (url: string, token: string) => string;
};

const home = (...path: string[]) => join(homedir(), ...path);
const here = (...path: string[]) => join(process.cwd(), ...path);

function inJson(root: string, address: string, more: Readonly<Record<string, unknown>> = {}): JsonEntry {
  return {
    format: 'json',
    values: (url, bearer) => [
      ...Object.entries(more).map(([key, value]): [JsonPath, unknown] => [[root, SERVER, key], value]),
      [[root, SERVER, address], `${url}/mcp`],
      [[root, SERVER, 'headers', 'Authorization'], `Bearer ${bearer}`],
    ],
  };
}

export function codexHome(): string {
  return process.env.CODEX_HOME ?? home('.codex');
}

export const CLIENTS = {
  claude: {
    title: 'Claude Code',
    scope: 'project',
    file: { user: () => home('.claude.json'), project: () => here('.mcp.json') },
    entry: inJson('mcpServers', 'url', { type: 'http' }),
    reference: '${HUB_TOKEN}',
    command: (url, token) =>
      `claude mcp add --transport http ${SERVER} ${url}/mcp --header "Authorization: Bearer ${token}"`,
  },
  codex: {
    title: 'Codex CLI',
    scope: 'user',
    file: {
      user: () => join(codexHome(), 'config.toml'),
      project: () => here('.codex', 'config.toml'),
    },
    entry: {
      format: 'toml',
      table: ['mcp_servers', SERVER],
      keys: (url, bearer) => ({
        url: tomlString(`${url}/mcp`),
        http_headers: bearer === undefined ? undefined : `{ Authorization = ${tomlString(`Bearer ${bearer}`)} }`,
        bearer_token_env_var: bearer === undefined ? tomlString(TOKEN_VARIABLE) : undefined,
      }),
    },
    reference: TOKEN_VARIABLE,
    command: (url, token) =>
      `export ${TOKEN_VARIABLE}=${token}; codex mcp add ${SERVER} --url ${url}/mcp --bearer-token-env-var ${TOKEN_VARIABLE}`,
  },
  gemini: {
    title: 'Gemini CLI',
    scope: 'user',
    file: { user: () => home('.gemini', 'settings.json'), project: () => here('.gemini', 'settings.json') },
    entry: inJson('mcpServers', 'httpUrl', { trust: true }), // without trust, it offers no tool when nobody can be asked
    reference: '$HUB_TOKEN',
    command: (url, token) =>
      `gemini mcp add --scope user --transport http --header "Authorization: Bearer ${token}" ${SERVER} ${url}/mcp`,
  },
  qwen: {
    title: 'Qwen Code',
    scope: 'user',
    file: { user: () => home('.qwen', 'settings.json'), project: () => here('.qwen', 'settings.json') },
    // Otherwise, the model has to search for each tool before its first call.
    entry: inJson('mcpServers', 'httpUrl', { trust: true, alwaysLoadTools: true }),
    reference: '$HUB_TOKEN',
  },
  copilot: {
    title: 'Copilot CLI',
    scope: 'user',
    file: { user: () => home('.copilot', 'mcp-config.json'), project: () => here('.mcp.json') },
    entry: inJson('mcpServers', 'url', { type: 'http', tools: ['*'] }),
    reference: '${HUB_TOKEN}',
  },
  opencode: {
    title: 'OpenCode',
    scope: 'user',
    file: { user: () => home('.config', 'opencode', 'opencode.json'), project: () => here('opencode.json') },
    entry: inJson('mcp', 'url', { type: 'remote', enabled: true, oauth: false }),
    reference: '{env:HUB_TOKEN}',
  },
  cursor: {
    title: 'Cursor',
    scope: 'project',
    file: { user: () => home('.cursor', 'mcp.json'), project: () => here('.cursor', 'mcp.json') },
    entry: inJson('mcpServers', 'url'),
    reference: '${env:HUB_TOKEN}',
  },
  vscode: {
    title: 'VS Code',
    scope: 'project',
    file: { user: () => home(...vscodeProfile(), 'mcp.json'), project: () => here('.vscode', 'mcp.json') },
    entry: inJson('servers', 'url', { type: 'http' }),
    reference: '${input:hub}',
  },
} as const satisfies Record<string, ClientSetup>;

export type ClientName = keyof typeof CLIENTS;

export const CLIENT_NAMES = Object.keys(CLIENTS);

/** The connection of one client to one hub. */
export type Connection = {
  client: ClientName;
  url: string;
  token: string;
  scope: Scope;
  alias: string;
  hasHooks: boolean;
};

function vscodeProfile(): string[] {
  if (process.platform === 'darwin') return ['Library', 'Application Support', 'Code', 'User'];
  return process.platform === 'win32' ? ['AppData', 'Roaming', 'Code', 'User'] : ['.config', 'Code', 'User'];
}
