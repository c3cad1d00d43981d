// Finds an ID of the hub in a text: a pasted ID opens its page.
import { messagePath, networkPath, taskPath } from '../routes.ts';

const PAGES = { task: taskPath, message: messagePath, network: networkPath };
const PREFIXES = { task: 'task', msg: 'message', net: 'network' } as const;

export type FoundId = { kind: keyof typeof PAGES; id: string; path: string };

/** People paste IDs with quotes, backticks and spaces around them. */
const ID = /^[\s"'`]*((task|msg|net)_[0-9A-Za-z]{4,40})[\s"'`.,]*$/;

export function idIn(text: string): FoundId | undefined {
  const [, id, prefix] = ID.exec(text) ?? [];
  if (id === undefined || (prefix !== 'task' && prefix !== 'msg' && prefix !== 'net')) return undefined;
  const kind = PREFIXES[prefix];
  return { kind, id, path: PAGES[kind](id) };
}
