// Computes the file edits of `connect`: the new text of each file. All other content of a file is kept.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../exit-codes.ts';
import {
  CLIENTS,
  type ClientName,
  type ClientSetup,
  type Connection,
  type JsonEntry,
  type Scope,
  SERVER,
} from './clients.ts';
import { type Agent, agentIn } from './command-line.ts';
import { firstOwn, HOOK_SETUPS } from './hook-setups.ts';
import { type JsonPath, JsonSyntaxError, memberOf, readJson, removeFromJson, setInJson } from './json-text.ts';
import pluginText from './opencode-plugin.txt' with { type: 'text' };
import { textOfFile } from './replace-file.ts';
import { removeFromToml, setInToml, TomlFormError } from './toml-text.ts';

/** `alone` is the text for a new file, which a person can also paste. */
export type FileEdit = { file: string; text: string; alone: string; isSecret: boolean };

export function editsFor(connection: Connection): FileEdit[] {
  const { client, scope, hasHooks } = connection;
  const isSecret = scope === 'user';
  const steps: [file: string, edit: Edit, isSecret: boolean][] = [
    [fileOf(connection), (text) => withEntry(text, connection), isSecret],
  ];
  const hooks = HOOK_SETUPS[client];
  if (hasHooks && hooks !== undefined) {
    const withHooks: Edit = (text) => setAll(text, hooks.values(readJson(text), connection));
    steps.push([hooks.file[scope](), withHooks, isSecret || client === 'claude']); // its project settings hold the token
  }
  if (hasHooks && client === 'opencode') steps.push([pluginFile(scope), () => openCodePlugin(connection), false]);
  return Array.from(
    Map.groupBy(steps, ([file]) => file),
    ([file, edits]) => {
      const edit: Edit = (text) => edits.reduce((changed, [, next]) => next(changed), text);
      return { file, isSecret: edits.some(([, , secret]) => secret), alone: edit(''), text: edited(file, edit) };
    },
  );
}

/** `agents` are those that the removed hooks belonged to. */
export type Removal = Pick<FileEdit, 'file' | 'text'> & { agents: readonly Agent[] };

/** The edits that take back what `editsFor` has written. A file that then has no content is deleted: its text is empty. */
export function removalsFor({ client, scope }: Pick<Connection, 'client' | 'scope'>): Removal[] {
  const setup: ClientSetup = CLIENTS[client];
  const steps: [file: string, edit: Edit][] = [[setup.file[scope](), (text) => withoutEntry(text, setup, client)]];
  const hooks = HOOK_SETUPS[client];
  if (hooks !== undefined) steps.push([hooks.file[scope](), withoutHooks]);
  if (client === 'opencode') steps.push([pluginFile(scope), () => '']);
  return Array.from(
    Map.groupBy(steps, ([file]) => file),
    ([file, edits]) => {
      const text = edited(file, (before) => edits.reduce((changed, [, next]) => next(changed), before));
      return { file, text: isBare(text) ? '' : text, agents: agentsIn(file) };
    },
  ).filter(({ file, text }) => existsSync(file) && textOfFile(file) !== text);
}

function agentsIn(file: string): Agent[] {
  const text = textOfFile(file);
  if (file.endsWith('.js')) return agentOfPlugin(text);
  return file.endsWith('.json') ? stringsIn(readJson(text)).flatMap((line) => agentIn(line) ?? []) : [];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

type Edit = (text: string) => string;

function fileOf({ client, scope }: Connection): string {
  const setup: ClientSetup = CLIENTS[client];
  return setup.file[scope]();
}

function withEntry(text: string, { client, scope, url, token }: Connection): string {
  const setup: ClientSetup = CLIENTS[client];
  const isSecret = scope === 'user';
  if (setup.entry.format === 'toml')
    return setInToml(text, setup.entry.table, setup.entry.keys(url, isSecret ? token : undefined));
  assertOurs(text, setup.entry);
  const inputs = client === 'vscode' && !isSecret ? [vscodeInput(text)] : [];
  return setAll(text, [...setup.entry.values(url, isSecret ? token : setup.reference), ...inputs]);
}

function withoutEntry(text: string, { entry }: ClientSetup, client: ClientName): string {
  if (text.trim() === '') return text;
  if (entry.format === 'toml') return removeFromToml(text, entry.table);
  assertOurs(text, entry);
  const left = removeFromJson(text, [rootOf(entry), SERVER]);
  const [path] = client === 'vscode' ? vscodeInput(left) : [undefined];
  return path === undefined ? left : removeFromJson(left, path);
}

function withoutHooks(text: string): string {
  let left = text;
  for (let own = firstOwn(readJson(left)); own !== undefined; own = firstOwn(readJson(left)))
    left = removeFromJson(left, own);
  return left;
}

/** Whether nothing is left but what a new file would begin with. */
export function isBare(text: string): boolean {
  return /^\s*(?:\{\s*(?:"version"\s*:\s*1\s*)?\}\s*)?$/.test(text);
}

function pluginFile(scope: Scope): string {
  return scope === 'user'
    ? join(homedir(), '.config', 'opencode', 'plugins', 'agenthub.js')
    : join(process.cwd(), '.opencode', 'plugins', 'agenthub.js');
}

function openCodePlugin({ url, alias }: Connection): string {
  return pluginText.replace('__CONNECTION__', () => JSON.stringify({ url, alias }));
}

function agentOfPlugin(text: string): Agent[] {
  const [, connection] = /^const CONNECTION = (\{.*\});$/m.exec(text) ?? [];
  return connection === undefined ? [] : [JSON.parse(connection)];
}

/** Applies the edit to the text of a person's file. Says how to proceed if it is not in the expected form. */
export function edited(file: string, edit: (text: string) => string): string {
  try {
    return edit(textOfFile(file));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof TomlFormError)) throw error;
    throw new CommandError(
      `${file} was not changed: ${error.message}; fix it, or add the output of agenthub connect without --write by hand`,
    );
  }
}

function setAll(text: string, values: readonly (readonly [JsonPath, unknown])[]): string {
  return values.reduce((changed, [path, value]) => setInJson(changed, path, value), text);
}

// A server of this name that runs a local program is unrelated to the hub.
function assertOurs(text: string, entry: JsonEntry): void {
  const known = memberOf(memberOf(readJson(text), rootOf(entry)), SERVER);
  if (memberOf(known, 'command') !== undefined) throw new JsonSyntaxError(`it has another server named "${SERVER}"`);
}

function rootOf({ values }: JsonEntry): string {
  return String(values('', '')[0]?.[0][0]);
}

/** The prompt for the token, which VS Code then keeps in its secret storage. */
function vscodeInput(text: string): readonly [JsonPath, unknown] {
  const inputs = memberOf(readJson(text), 'inputs');
  const known = Array.isArray(inputs) ? inputs.findIndex((input) => memberOf(input, 'id') === SERVER) : -1;
  const index = known >= 0 ? known : Array.isArray(inputs) ? inputs.length : 0;
  return [['inputs', index], { type: 'promptString', id: SERVER, description: 'agenthub token', password: true }];
}
