// The hub as a server in the configuration of a client. An entry of this name that connect did not write is kept.
import { type Configuration, type Scope, SERVER } from '../../domain/clients/setup.ts';
import { ForeignContentError } from './foreign-content.ts';
import { type Ledger, ledgerOf, mayRemove } from './ledger.ts';
import { isOwnServer, leavesOf } from './own-server.ts';
import { memberOf, readJson, removeFromJson, setInJson } from './text/json-text.ts';
import { readToml, removeFromToml, setInToml, tomlValue } from './text/toml-text.ts';

type Given = { url: string; token: string; scope: Scope };

/** `shared` are the configurations of all clients that read the same file; the first is that of the client. */
export type Shared = readonly [Configuration, ...Configuration[]];

/** Without a token in the file, the entry refers to HUB_TOKEN, or the client asks for it. */
export function withEntry(text: string, shared: Shared, { scope, url, token }: Given, ledger = ledgerOf(undefined)) {
  const [{ format, root, entry, asks }] = shared;
  const members = entry(url, scope === 'user' ? token : undefined);
  const known = serverIn(text, shared[0]);
  if (known !== undefined && !isOwn(known, shared, ledger) && !isOwnServer(known, shared, ledger.hasRecord))
    throw new ForeignContentError(
      `it has another server named "${SERVER}", which agenthub connect did not write; rename or remove it`,
    );
  if (format === 'toml') return checked(setInToml(text, [root, SERVER], tomlKeys(members)));
  const result = leavesOf(members, [root, SERVER]).reduce((changed, leaf) => setInJson(changed, ...leaf), text);
  return asks === undefined || scope === 'user' ? result : withQuestion(result, asks);
}

export function withoutEntry(text: string, shared: Shared, ledger: Ledger): string {
  const [{ format, asks }] = shared;
  const known = text.trim() === '' ? undefined : serverIn(text, shared[0]);
  if (known === undefined) return text;
  const left = isOwn(known, shared, ledger) ? withoutServer(text, shared[0], ledger) : text;
  if (left === text) ledger.keep(`the server "${SERVER}", which was not written by agenthub connect,`);
  return asks === undefined || left === text || format === 'toml' ? left : withoutQuestion(left, asks, ledger);
}

function withoutServer(text: string, { format, root }: Configuration, ledger: Ledger): string {
  if (format === 'toml') return checked(removeFromToml(text, [root, SERVER]));
  return removeFromJson(text, [root, SERVER], mayRemove(ledger));
}

function serverIn(text: string, { format, root }: Configuration): unknown {
  return memberOf(memberOf(format === 'toml' ? readToml(text) : readJson(text), root), SERVER);
}

function isOwn(server: unknown, shared: Shared, ledger: Ledger): boolean {
  return isOwnServer(server, shared, ledger.isCreated([shared[0].root, SERVER]));
}

function checked(toml: string): string {
  readToml(toml);
  return toml;
}

function tomlKeys(members: Readonly<Record<string, unknown>>) {
  const keys = Object.entries(members).map(([key, value]) => [key, value === undefined ? value : tomlValue(value)]);
  return Object.fromEntries(keys);
}

type Asks = NonNullable<Configuration['asks']>;

function withQuestion(text: string, { list, question }: Asks): string {
  const { questions, index } = questionIn(text, { list, question });
  if (index < 0) return setInJson(text, [list, questions.length], question);
  if (isSame(questions[index], question)) return text;
  throw new ForeignContentError(
    `it has another input named "${question.id}", which agenthub connect did not write; rename or remove it`,
  );
}

function withoutQuestion(text: string, { list, question }: Asks, ledger: Ledger): string {
  const { questions, index } = questionIn(text, { list, question });
  const isOurs = isSame(questions[index], question) && (!ledger.hasRecord || ledger.isAdded([list], question));
  return isOurs ? removeFromJson(text, [list, index], mayRemove(ledger)) : text;
}

function questionIn(text: string, { list, question }: Asks): { questions: readonly unknown[]; index: number } {
  const questions = memberOf(readJson(text), list);
  if (!Array.isArray(questions)) return { questions: [], index: -1 };
  return { questions, index: questions.findIndex((each) => memberOf(each, 'id') === question.id) };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
