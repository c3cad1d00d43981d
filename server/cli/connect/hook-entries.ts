// The entries that `connect --hooks` writes into the settings of a client, and finds again. Entries of an earlier
// connection are replaced; those of a person are kept.
import { isLoopbackName, nameOf } from '../../domain/addresses.ts';
import type { HookedAgent, HookSettings } from '../../domain/clients/client.ts';
import type { Scope } from '../../domain/clients/setup.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { programInShell } from '../this-program.ts';
import { commandLine, isOwnLine } from './command-line.ts';
import { ForeignContentError, UNRECORDED } from './foreign-content.ts';
import { type Ledger, ledgerOf, mayRemove } from './ledger.ts';
import { itemIn, withItem } from './list-items.ts';
import { type JsonPath, memberOf, readJson, removeFromJson, setInJson } from './text/json-text.ts';

const VERSION = 'version';

/** The text with the hooks of the agent and what they need, and without other entries of agenthub. */
export function withHooks(
  text: string,
  settings: HookSettings,
  agent: Omit<HookedAgent, 'isLocal' | 'line'>,
  ledger = ledgerOf(undefined),
): string {
  const { layout, version, permissions, waiter, token } = settings;
  const handlers = settings.handlers({
    ...agent,
    isLocal: isLoopbackName(nameOf(new URL(agent.url).host)),
    line: (...words) => commandLine(words, agent),
  });
  let result = version === undefined ? text : setInJson(text, [VERSION], version);
  for (const [event, own] of Object.entries(handlers)) {
    const place = placeOf(readJson(result), event);
    result = setInJson(result, ['hooks', event, place], layout === 'groups' ? { hooks: own } : own[0]);
  }
  result = withoutEntries(result, mayRemove(ledger), ([, event = '', ...rest], now) => {
    return rest.length === 1 && event in handlers && rest[0] === placeOf(now, String(event));
  });
  for (const [list, item] of permissions?.[agent.scope] ?? [])
    result = setInJson(result, ...withItem(readJson(result), list, item));
  if (waiter !== undefined)
    result = setInJson(
      result,
      ...withItem(readJson(result), waiter.list, waiter.item(shellProgram()), ownItem(waiter)),
    );
  return token === undefined || agent.scope === 'user' ? result : withToken(result, token, agent.token, ledger);
}

const TOKEN_START = 'ntok_';

/** Takes back what `withHooks` has written. */
export function withoutHooks(text: string, settings: HookSettings, scope: Scope, ledger: Ledger): string {
  const others = withoutVersion(withoutEntries(text, mayRemove(ledger)), settings, ledger);
  const left = withoutItems(others, settings, scope, ledger);
  return settings.token === undefined ? left : withoutToken(left, settings.token, ledger);
}

/** In a file that connect created, hooks that a person has added need the version. */
function withoutVersion(text: string, { version }: HookSettings, { hasRecord, isNewFile, isCreated }: Ledger): string {
  const isOurs = hasRecord && !isNewFile && isCreated([VERSION]) && memberOf(readJson(text), VERSION) === version;
  return isOurs ? removeFromJson(text, [VERSION]) : text;
}

type Settings = Pick<HookSettings, 'permissions' | 'waiter'>;

function withoutItems(text: string, { permissions, waiter }: Settings, scope: Scope, ledger: Ledger): string {
  let left = text;
  const items: (readonly [list: readonly string[], wanted: string | RegExp])[] = [...(permissions?.[scope] ?? [])];
  if (waiter !== undefined) items.push([waiter.list, ownItem(waiter)]);
  for (const [list, wanted] of items) {
    const path = itemIn(readJson(left), list, wanted);
    const item = path?.reduce<unknown>((value, key) => memberOf(value, String(key)), readJson(left));
    if (path === undefined) continue;
    if (ledger.isAdded(list, item)) left = removeFromJson(left, path, mayRemove(ledger));
    else if (!ledger.hasRecord) ledger.keep(`${JSON.stringify(item)} in ${list.join('.')}, ${UNRECORDED},`);
  }
  return left;
}

function withoutToken(text: string, path: readonly string[], ledger: Ledger): string {
  const value = path.reduce<unknown>(memberOf, readJson(text));
  if (typeof value !== 'string') return text;
  if (ledger.isCreated(path) && ledger.isOwnToken(value)) return removeFromJson(text, path, mayRemove(ledger));
  if (!ledger.hasRecord && value.startsWith(TOKEN_START)) ledger.keep(`${path.join('.')}, ${UNRECORDED},`);
  return text;
}

/** A value that a person has set stays. */
function withToken(text: string, path: readonly string[], token: string, ledger: Ledger): string {
  const value = path.reduce<unknown>(memberOf, readJson(text));
  const isOurs = typeof value === 'string' && ledger.isCreated(path) && ledger.isOwnToken(value);
  if (value === undefined || value === token || isOurs) return setInJson(text, path, token);
  throw new ForeignContentError(
    `it sets ${path.join('.')} to another value, which agenthub connect did not write; remove it, or use --scope user`,
  );
}

/** The item of any version, and that of this program even under an unusual name. */
function ownItem({ item, own }: NonNullable<HookSettings['waiter']>): RegExp {
  return new RegExp(`${own.source}|^${RegExp.escape(item(shellProgram()))}$`);
}

/** This program, as the agent calls it in a shell. */
function shellProgram(): string {
  return programInShell().map(shellWord).join(' ');
}

type IsKept = (path: JsonPath, settings: unknown) => boolean;

function withoutEntries(text: string, mayEmpty: (path: JsonPath) => boolean, isKept: IsKept = () => false): string {
  const settings = readJson(text);
  const path = ownEntries(settings).find((each) => !isKept(each, settings));
  return path === undefined ? text : withoutEntries(removeFromJson(text, path, mayEmpty), mayEmpty, isKept);
}

/** The paths of entries of agenthub: handlers, or whole groups if a person added no handler to them. */
function ownEntries(settings: unknown): JsonPath[] {
  const lists = Object.entries(Object(memberOf(settings, 'hooks')));
  return lists.flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((entry, index): JsonPath[] => {
      const path = ['hooks', event, index];
      if (isOwnEntry(entry)) return [path];
      return handlersIn(entry).flatMap((handler, inner) => (isOwn(handler) ? [[...path, 'hooks', inner]] : []));
    }),
  );
}

/** The index of the first own entry, or the one after the last. */
function placeOf(settings: unknown, event: string): number {
  const list = memberOf(memberOf(settings, 'hooks'), event);
  if (!Array.isArray(list)) return 0;
  const own = list.findIndex(isOwnEntry);
  return own < 0 ? list.length : own;
}

function isOwnEntry(entry: unknown): boolean {
  const handlers = handlersIn(entry);
  return handlers.length > 0 ? handlers.every(isOwn) : isOwn(entry);
}

function handlersIn(entry: unknown): readonly unknown[] {
  const handlers = memberOf(entry, 'hooks');
  return Array.isArray(handlers) ? handlers : [];
}

function isOwn(handler: unknown): boolean {
  const lines = ['command', 'bash'].map((key) => memberOf(handler, key));
  return lines.some((line) => typeof line === 'string' && isOwnLine(line)) || isOwnRequest(handler);
}

const OWN_URL = /^https?:\/\/[^\s?#]+\/hooks\/claude-code\?alias=[^\s&#]+$/;
const OWN_BEARER = /^Bearer (?:ntok_\w+|\$HUB_TOKEN)$/;

function isOwnRequest(handler: unknown): boolean {
  const [url, bearer] = [memberOf(handler, 'url'), memberOf(memberOf(handler, 'headers'), 'Authorization')];
  return typeof url === 'string' && OWN_URL.test(url) && typeof bearer === 'string' && OWN_BEARER.test(bearer);
}
