// The approvals that a client keeps for each repository, so that it does not ask before it calls the hub.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Approvals } from '../../domain/clients/client.ts';
import { UNRECORDED } from './foreign-content.ts';
import { type JsonPath, memberOf, readJson, removeFromJson, setInJson } from './json-text.ts';
import { type Ledger, mayRemove } from './ledger.ts';

export function withApprovals(text: string, { list, tools }: Approvals): string {
  const path = list(repository());
  const items = itemsIn(text, path);
  return items.some(isSame(tools)) ? text : setInJson(text, [...path, items.length], tools);
}

/** Takes back what `withApprovals` has added for this repository. */
export function withoutApprovals(text: string, { list, tools }: Approvals, ledger: Ledger): string {
  const path = list(repository());
  const index = itemsIn(text, path).findIndex(isSame(tools));
  if (index < 0) return text;
  if (ledger.isAdded(path, tools)) return removeFromJson(text, [...path, index], mayRemove(ledger));
  if (!ledger.hasRecord) ledger.keep(`${JSON.stringify(tools)}, ${UNRECORDED},`);
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
