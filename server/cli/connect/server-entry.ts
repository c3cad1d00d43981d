// The hub as a server in the configuration of a client. Other members that a person has given it are kept.
import { type Configuration, type Scope, SERVER } from '../../domain/clients/setup.ts';
import { type JsonPath, JsonSyntaxError, memberOf, readJson, removeFromJson, setInJson } from './json-text.ts';
import { removeFromToml, setInToml, tomlValue } from './toml-text.ts';

type Given = { url: string; token: string; scope: Scope };

/** Without a token in the file, the entry refers to HUB_TOKEN, or the client asks for it. */
export function withEntry(text: string, configuration: Configuration, { scope, url, token }: Given): string {
  const { format, root, entry, asks } = configuration;
  const members = entry(url, scope === 'user' ? token : undefined);
  if (format === 'toml') return setInToml(text, [root, SERVER], tomlKeys(members));
  assertOurs(text, root);
  const result = leavesOf(members, [root, SERVER]).reduce((changed, leaf) => setInJson(changed, ...leaf), text);
  return asks === undefined || scope === 'user' ? result : setInJson(result, placeOf(result, asks), asks.question);
}

export function withoutEntry(text: string, { format, root, asks }: Configuration): string {
  if (text.trim() === '') return text;
  if (format === 'toml') return removeFromToml(text, [root, SERVER]);
  assertOurs(text, root);
  const left = removeFromJson(text, [root, SERVER]);
  return asks === undefined ? left : removeFromJson(left, placeOf(left, asks));
}

function tomlKeys(members: Readonly<Record<string, unknown>>) {
  const keys = Object.entries(members).map(([key, value]) => [key, value === undefined ? value : tomlValue(value)]);
  return Object.fromEntries(keys);
}

/** Each member that is not an object, with its path, so that other members of a person are kept. */
function leavesOf(value: unknown, path: JsonPath): [path: JsonPath, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

// A server of this name that runs a local program is unrelated to the hub.
function assertOurs(text: string, root: string): void {
  const known = memberOf(memberOf(readJson(text), root), SERVER);
  if (memberOf(known, 'command') !== undefined) throw new JsonSyntaxError(`it has another server named "${SERVER}"`);
}

/** The path of the question for the token, or the one after the last question. */
function placeOf(text: string, { list, question }: NonNullable<Configuration['asks']>): JsonPath {
  const questions = memberOf(readJson(text), list);
  if (!Array.isArray(questions)) return [list, 0];
  const known = questions.findIndex((each) => memberOf(each, 'id') === question.id);
  return [list, known < 0 ? questions.length : known];
}
