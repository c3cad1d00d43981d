// The table of clients. `agenthub connect`, `hook` and `wake`, `POST /hooks/:client`, the connect page of the console,
// `npm run clients` and the README read it.
import { CLAUDE } from './claude.ts';
import type { Client, HookClient } from './client.ts';
import { CODEX } from './codex.ts';
import { COPILOT } from './copilot.ts';
import { CURSOR } from './cursor.ts';
import { GEMINI } from './gemini.ts';
import { GOOSE } from './goose.ts';
import { OPENCODE } from './opencode.ts';
import { QWEN } from './qwen.ts';
import type { Configuration } from './setup.ts';
import { VSCODE } from './vscode.ts';

export const CLIENTS = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  qwen: QWEN,
  copilot: COPILOT,
  opencode: OPENCODE,
  cursor: CURSOR,
  goose: GOOSE,
  vscode: VSCODE,
} as const satisfies Readonly<Record<string, Client>>;

type Table = typeof CLIENTS;
export type ClientName = keyof Table;

/** Those that `agenthub connect` can configure. */
export type ConnectName = {
  [Name in ClientName]: Table[Name]['setup'] extends { configuration: object } ? Name : never;
}[ClientName];

/** Those that `npm run clients` tests. */
export type TestedName = { [Name in ClientName]: Table[Name] extends { program: object } ? Name : never }[ClientName];

/** As hooks name their client. */
export type HookName = Extract<Table[ClientName], { hooks: object }>['setup']['hook'];

export const CONNECT_NAMES = Object.entries<Client>(CLIENTS).flatMap(([name, { setup }]) =>
  setup.configuration === undefined ? [] : [name],
) as ConnectName[];

export function configurationOf(name: ConnectName): Configuration {
  return CLIENTS[name].setup.configuration;
}

/** Undefined for a client that `agenthub connect` cannot configure. */
export function connectNameOf(hook: HookName): ConnectName | undefined {
  return CONNECT_NAMES.find((name) => CLIENTS[name].setup === hookClient(hook).setup);
}

const HOOK_CLIENTS = Object.fromEntries(
  Object.values<Client>(CLIENTS).flatMap((client) => (client.hooks === undefined ? [] : [[client.setup.hook, client]])),
) as Readonly<Record<HookName, HookClient>>;

export const HOOK_NAMES = Object.keys(HOOK_CLIENTS) as [HookName, ...HookName[]];

export function hookClient(name: HookName): HookClient {
  return HOOK_CLIENTS[name];
}
