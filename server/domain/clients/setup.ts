// How a coding agent is connected and woken: the part of a client that the console shows, so this file and the setups
// import nothing that a browser lacks.
import { shellWord } from '../text/shell-word.ts';

/** The name of the hub in the configuration of a client. */
export const SERVER = 'hub';

/** `json` in this request header: a call that waits responds with JSON that opens at once, instead of a stream. */
export const WAIT_HEADER = 'agenthub-wait';

/** The environment variable to which a configuration without a token refers. */
export const TOKEN_VARIABLE = 'HUB_TOKEN';

/** user: all projects, with the token in the file. project: one directory, with a reference to HUB_TOKEN. */
export const SCOPES = ['user', 'project'] as const;
export type Scope = (typeof SCOPES)[number];

/** A path below the home directory, and one below the directory of a project. */
export type Files = Readonly<Record<Scope, string>>;

export type Configuration = {
  format: 'json' | 'toml';
  /** The scope if a person names none. */
  scope: Scope;
  files: Files;
  /** The member of the file that contains the servers by name. */
  root: string;
  /** The hub as a server. Without a token, it refers to HUB_TOKEN. Undefined members must not be in the file. */
  entry: (url: string, token: string | undefined) => Readonly<Record<string, unknown>>;
  /** For a client that asks for the token: the list for the question, and the question. */
  asks?: { list: string; question: { id: string } & Readonly<Record<string, unknown>> };
};

/** `readsToken`: it refers to HUB_TOKEN instead of containing the token. */
export type OwnCommand = { line: (url: string, token: string) => string; readsToken?: true };

/**
 * How new mail wakes an idle session: with the hooks or the plugin of `connect --hooks`, or with a background shell,
 * which the agent starts because a hook tells it so. Otherwise a worker starts the client for each task, or the mail
 * waits for the next turn, or until the agent asks for it.
 */
export type Wake = { by: 'hooks' | 'shell' | 'turn' | 'inbox' } | { by: 'worker'; command: string };

export type Setup = {
  /** The name that people know. */
  title: string;
  /** Its name in `agenthub hook` and `POST /hooks/:client`, if it has hooks or a plugin that takes their place. */
  hook?: string;
  /** Undefined if `agenthub connect` cannot write it. */
  configuration?: Configuration;
  /** The client's own command that adds the hub. */
  command?: OwnCommand;
  wake: Wake;
};

export type Agent = { url: string; alias: string };

/** The header of a server entry. `bearer` is the token, or the client's syntax for a reference to HUB_TOKEN. */
export function authorization(bearer: string) {
  return { Authorization: `Bearer ${bearer}` };
}

/** The own command as lines for a shell. */
export function commandLines({ line, readsToken }: OwnCommand, url: string, token: string): string[] {
  return [...(readsToken ? [`export ${TOKEN_VARIABLE}=${token}`] : []), line(url, token)];
}

/** The content of a new configuration file in JSON. */
export function newConfiguration({ root, entry, asks }: Configuration, url: string, token: string | undefined): object {
  return {
    [root]: { [SERVER]: entry(url, token) },
    ...(asks !== undefined && token === undefined && { [asks.list]: [asks.question] }),
  };
}

/** A path for people, such as `~/.cursor/mcp.json`. */
export function shownPath({ files }: Configuration, scope: Scope): string {
  return `${scope === 'user' ? '~/' : ''}${files[scope]}`;
}

/** The command that a person runs instead, for a client that cannot be woken; empty for others. */
export function wakeLine(wake: Wake, { alias, url }: { alias: string; url?: string }): string {
  const hub = url === undefined ? '' : ` --hub ${shellWord(url)}`;
  return wake.by === 'worker' ? `agenthub work --alias ${shellWord(alias)}${hub} -- ${wake.command}` : '';
}
