// The approvals that a client keeps for each repository, so that it does not ask before it calls the hub.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Approvals } from '../../domain/clients/client.ts';
import { UNRECORDED } from './foreign-content.ts';
import { type Ledger, mayRemove } from './ledger.ts';
import { type JsonPath, memberOf, readJson, removeFromJson, setInJson } from './text/json-text.ts';
import { WAITER } from './waiter-script.ts';

/** What `connect` allows in a repository: the tools, and the waiter if the client can find it. */
export function approvedItems({ tools, command }: Approvals, hasWaiter: boolean): readonly object[] {
  return hasWaiter ? [tools, command(WAITER)] : [tools];
}

export function withApprovals(text: string, { list }: Approvals, items: readonly object[]): string {
  const path = list(repository());
  return items.reduce((changed, item) => {
    const known = itemsIn(changed, path);
    return known.some(isSame(item)) ? changed : setInJson(changed, [...path, known.length], item);
  }, text);
}

/** Takes back what `withApprovals` has added for this repository. */
export function withoutApprovals(text: string, approvals: Approvals, ledger: Ledger): string {
  const path = approvals.list(repository());
  return approvedItems(approvals, true).reduce((left, item) => withoutItem(left, { path, item, ledger }), text);
}

type Removed = { path: readonly string[]; item: object; ledger: Ledger };

function withoutItem(text: string, { path, item, ledger }: Removed): string {
  const index = itemsIn(text, path).findIndex(isSame(item));
  if (index < 0) return text;
  if (ledger.isAdded(path, item)) return removeFromJson(text, [...path, index], mayRemove(ledger));
  if (!ledger.hasRecord) ledger.keep(`${JSON.stringify(item)}, ${UNRECORDED},`);
  return text;
}

function itemsIn(text: string, path: JsonPath): readonly unknown[] {
  const list = path.reduce<unknown>((value, key) => memberOf(value, String(key)), readJson(text));
  return Array.isArray(list) ? list : [];
}

function isSame(item: object): (other: unknown) => boolean {
  return (other) => JSON.stringify(other) === JSON.stringify(item);
}

/** The root of the repository that contains the working directory, or this directory. */
export function repository(): string {
  for (let directory = process.cwd(); ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return directory;
    if (directory === dirname(directory)) return process.cwd();
  }
}
