// The entries that `connect --hooks` writes into the settings of a client, and finds again. Entries of an earlier
// connection are replaced; those of a person are kept.
import { isLoopbackName, nameOf } from '../../domain/addresses.ts';
import type { Handler, HookedAgent, HookSettings } from '../../domain/clients/client.ts';
import type { Scope } from '../../domain/clients/setup.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { programInShell } from '../this-program.ts';
import { commandLine, isOwnLine } from './command-line.ts';
import { type JsonPath, memberOf, readJson, removeFromJson, setInJson } from './json-text.ts';
import { itemIn, withItem } from './list-items.ts';

/** The text with the hooks of the agent and what they need, and without other entries of agenthub. */
export function withHooks(text: string, settings: HookSettings, agent: Omit<HookedAgent, 'isLocal' | 'line'>): string {
  const { layout, version, permissions, waiter, token } = settings;
  const handlers = settings.handlers({
    ...agent,
    isLocal: isLoopbackName(nameOf(new URL(agent.url).host)),
    line: (...words) => commandLine(words, agent),
  });
  let result = version === undefined ? text : setInJson(text, ['version'], version);
  for (const [event, own] of Object.entries(handlers)) {
    const place = placeOf(readJson(result), event);
    result = setInJson(result, ['hooks', event, place], layout === 'groups' ? { hooks: own } : own[0]);
  }
  result = withoutEntries(result, ([, event = '', ...rest], now) => {
    return rest.length === 1 && event in handlers && rest[0] === placeOf(now, String(event));
  });
  for (const [list, item] of permissions?.[agent.scope] ?? [])
    result = setInJson(result, ...withItem(readJson(result), list, item));
  if (waiter !== undefined)
    result = setInJson(
      result,
      ...withItem(readJson(result), waiter.list, waiter.item(shellProgram()), ownItem(waiter)),
    );
  return token === undefined || agent.scope === 'user' ? result : setInJson(result, token, agent.token);
}

/** Tells the token that `connect` has set from a value of a person, such as a reference. */
const TOKEN_START = 'ntok_';

/** Takes back what `withHooks` has written. */
export function withoutHooks(text: string, { permissions, waiter, token }: HookSettings, scope: Scope): string {
  let left = withoutEntries(text);
  const items: [list: readonly string[], item: string | RegExp][] = [...(permissions?.[scope] ?? [])].map(
    ([list, item]) => [list, item],
  );
  if (waiter !== undefined) items.push([waiter.list, ownItem(waiter)]);
  for (const [list, item] of items) {
    const path = itemIn(readJson(left), list, item);
    if (path !== undefined) left = removeFromJson(left, path);
  }
  const value = token?.reduce<unknown>(memberOf, readJson(left));
  const isOwn = typeof value === 'string' && value.startsWith(TOKEN_START);
  return token !== undefined && isOwn ? removeFromJson(left, token) : left;
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

function withoutEntries(text: string, isKept: IsKept = () => false): string {
  const settings = readJson(text);
  const path = ownEntries(settings).find((each) => !isKept(each, settings));
  return path === undefined ? text : withoutEntries(removeFromJson(text, path), isKept);
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
  return Object.values(Object(handler) as Handler).some(
    (value) => typeof value === 'string' && (isOwnLine(value) || value.includes('/hooks/claude-code?alias=')),
  );
}
