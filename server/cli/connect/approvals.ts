// The approvals that a client keeps for each repository, so that it does not ask before it calls the hub.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Approvals } from '../../domain/clients/client.ts';
import { programInShell } from '../this-program.ts';
import { UNRECORDED } from './foreign-content.ts';
import { type JsonPath, memberOf, readJson, removeFromJson, setInJson } from './json-text.ts';
import { type Ledger, mayRemove } from './ledger.ts';

/** `hasHooks`: the agent also runs the program, to wait for mail. */
export function withApprovals(text: string, approvals: Approvals, hasHooks: boolean): string {
  const path = approvals.list(repository());
  let result = text;
  for (const item of itemsOf(approvals, hasHooks)) {
    const items = itemsIn(result, path);
    if (!items.some(isSame(item))) result = setInJson(result, [...path, items.length], item);
  }
  return result;
}

/** Takes back what `withApprovals` has added for this repository. */
export function withoutApprovals(text: string, approvals: Approvals, ledger: Ledger): string {
  const path = approvals.list(repository());
  let left = text;
  for (const item of itemsOf(approvals, true)) {
    const index = itemsIn(left, path).findIndex(isSame(item));
    if (index < 0) continue;
    if (ledger.isAdded(path, item)) left = removeFromJson(left, [...path, index], mayRemove(ledger));
    else if (!ledger.hasRecord) ledger.keep(`${JSON.stringify(item)}, ${UNRECORDED},`);
  }
  return left;
}

function itemsOf({ tools, command }: Approvals, hasHooks: boolean): object[] {
  return hasHooks ? [tools, command(programInShell()[0] ?? '')] : [tools];
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
