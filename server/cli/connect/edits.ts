// Computes the file edits of `connect`: the new text of each file. All other content of a file is kept.
import { CommandError } from '../exit-codes.ts';
import { claudeHooks, hooksFile } from './claude-hooks.ts';
import { CLIENTS, type ClientSetup, type Connection, type JsonEntry, SERVER } from './clients.ts';
import { type JsonPath, JsonSyntaxError, memberOf, readJson, setInJson } from './json-text.ts';
import { textOfFile } from './replace-file.ts';
import { setInToml, TomlFormError } from './toml-text.ts';

/** `alone` is the text for a new file, which a person can also paste. */
export type FileEdit = { file: string; text: string; alone: string; isSecret: boolean };

export function editsFor(connection: Connection): FileEdit[] {
  const { client, url, token, scope, hasHooks } = connection;
  const setup: ClientSetup = CLIENTS[client];
  const isSecret = scope === 'user';
  const file = setup.file[scope]();
  const withEntry = (text: string): string => {
    if (setup.entry.format === 'toml')
      return setInToml(text, setup.entry.table, setup.entry.keys(url, isSecret ? token : undefined));
    assertOurs(text, setup.entry);
    const inputs = client === 'vscode' && !isSecret ? [vscodeInput(text)] : [];
    return setAll(text, [...setup.entry.values(url, isSecret ? token : setup.reference), ...inputs]);
  };
  const server = { file, isSecret, alone: withEntry(''), text: edited(file, withEntry) };
  if (!hasHooks) return [server];
  const withHooks = (text: string): string => setAll(text, claudeHooks(readJson(text), connection));
  const hooks = hooksFile(scope);
  return [server, { file: hooks, isSecret, alone: withHooks(''), text: edited(hooks, withHooks) }];
}

function edited(file: string, edit: (text: string) => string): string {
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
function assertOurs(text: string, { values }: JsonEntry): void {
  const root = values('', '')[0]?.[0][0];
  const known = memberOf(memberOf(readJson(text), String(root)), SERVER);
  if (memberOf(known, 'command') !== undefined) throw new JsonSyntaxError(`it has another server named "${SERVER}"`);
}

/** The prompt for the token, which VS Code then keeps in its secret storage. */
function vscodeInput(text: string): readonly [JsonPath, unknown] {
  const inputs = memberOf(readJson(text), 'inputs');
  const known = Array.isArray(inputs) ? inputs.findIndex((input) => memberOf(input, 'id') === SERVER) : -1;
  const index = known >= 0 ? known : Array.isArray(inputs) ? inputs.length : 0;
  return [['inputs', index], { type: 'promptString', id: SERVER, description: 'agenthub token', password: true }];
}
