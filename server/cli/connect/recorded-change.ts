// Changes files and keeps the record of what was written, so that it can be taken back.
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Agent } from '../../domain/clients/setup.ts';
import { type FileRecord, type FileRecords, readRecords, writeRecords } from '../client/access/connection-records.ts';
import { additions, hashOf, withAdditions } from './ledger.ts';
import {
  changeFiles,
  directoriesAbove,
  type FileChange,
  type Preparation,
  removeEmptyDirectories,
  targetOf,
  textOfFile,
} from './replace-file.ts';
import { JsonSyntaxError, readJson } from './text/json-text.ts';
import { readToml } from './text/toml-text.ts';

/** `isFree`: the file has had nothing of agenthub before. `agents` are those of its hooks. */
export type OwnedChange = FileChange & {
  owner: string;
  isFree: boolean;
  token?: string | undefined;
  agents?: readonly Agent[];
};

/** Writes the changes, and what they add. Returns the path of each backup. */
export function writeRecorded(
  changes: readonly OwnedChange[],
  between: () => unknown = () => undefined,
): (string | undefined)[] {
  const records = readRecords();
  const before = changes.map(({ file }) => (existsSync(file) ? textOfFile(file) : undefined));
  const modes = changes.map(({ file }) => (existsSync(file) ? statSync(file).mode & 0o777 : undefined));
  return changeTogether(
    records,
    changes.map((change) => ({ ...change, isOurs: isAsWritten(records, change.file) })),
    (prepared) => {
      const next = { ...records };
      for (const [index, change] of changes.entries())
        next[targetOf(change.file)] = nextRecord(next[targetOf(change.file)], change, {
          ...prepared[index],
          before: before[index],
          mode: modes[index],
        });
      between();
      return next;
    },
  );
}

/** Removes the owner from the record of each file. Directories that connect created for deleted files go too. */
export function removeRecorded(changes: readonly Omit<OwnedChange, 'isFree'>[]): (string | undefined)[] {
  const records = readRecords();
  const restoring = changes.map((change) => ({ ...change, mode: originalMode(records, change) }));
  const directories = changes.flatMap((change) => createdDirectories(records, change));
  const backups = changeTogether(records, restoring, () => {
    const next = { ...records };
    for (const { file, text, owner } of changes) {
      const known = next[targetOf(file)];
      if (known === undefined) continue;
      const { original, ...rest } = known;
      const owners = known.owners.filter((each) => each !== owner);
      const kept = original !== undefined && isAsWritten(records, file) ? { original } : {};
      if (owners.length === 0 || text === undefined) delete next[targetOf(file)];
      else next[targetOf(file)] = { ...rest, ...kept, owners, written: hashOf(text) };
    }
    return next;
  });
  removeEmptyDirectories(directories);
  return backups;
}

function createdDirectories(records: FileRecords, { file, text }: Pick<FileChange, 'file' | 'text'>): string[] {
  const first = records[targetOf(file)]?.directory;
  return text === undefined && first !== undefined ? directoriesAbove(targetOf(file), first) : [];
}

/** Undefined while another owner uses the file, and in records of earlier versions. */
function originalMode(records: FileRecords, { file, owner }: Pick<OwnedChange, 'file' | 'owner'>): number | undefined {
  const known = records[targetOf(file)];
  return known?.owners.every((each) => each === owner) ? known.mode : undefined;
}

function changeTogether(
  records: FileRecords,
  changes: readonly FileChange[],
  nextRecords: (prepared: readonly Preparation[]) => FileRecords,
): (string | undefined)[] {
  let isWritten = false;
  try {
    return changeFiles(changes, (prepared) => {
      writeRecords(nextRecords(prepared));
      isWritten = true;
    });
  } catch (error) {
    if (isWritten) writeRecords(records);
    throw error;
  }
}

/** Whether the file is exactly as connect wrote it last. */
export function isAsWritten(records: FileRecords, file: string): boolean {
  const known = records[targetOf(file)];
  return known !== undefined && existsSync(file) && hashOf(textOfFile(file)) === known.written;
}

/** The text before the first write. Undefined if it is not known, null if the file did not exist. */
export function originalOf(records: FileRecords, file: string): string | null | undefined {
  const known = records[targetOf(file)];
  if (known === undefined || !isAsWritten(records, file)) return undefined;
  const { original } = known;
  if (original === null || original === undefined) return original;
  return existsSync(original) ? readFileSync(original, 'utf8') : undefined;
}

type Before = Preparation & { before: string | undefined; mode: number | undefined };

function nextRecord(known: FileRecord | undefined, change: OwnedChange, prepared: Before): FileRecord {
  const { before, backup, mode, directory = known?.directory } = prepared;
  const { file, text = '', owner, isFree, token, agents = [] } = change;
  const more = additions(contentOf(file, before ?? ''), contentOf(file, text));
  const rest = { written: hashOf(text), agents: [...agents], ...(token !== undefined && { token: hashOf(token) }) };
  const created = { isCreated: true, original: null, ...(directory !== undefined && { directory }) };
  if (before === undefined) return { owners: [owner], added: more, ...created, ...rest };
  const { original, ...same } = known ?? {
    owners: [],
    isCreated: false,
    original: isFree ? backup : undefined,
    added: [],
    mode,
  };
  const isKept = known === undefined || hashOf(before) === known.written;
  return {
    ...same,
    ...rest,
    ...(isKept && original !== undefined && { original }),
    owners: [...new Set([...same.owners, owner])],
    added: withAdditions(same.added, more),
  };
}

/** An OpenCode plugin has no members. */
function contentOf(file: string, text: string): unknown {
  if (file.endsWith('.toml')) return readToml(text);
  try {
    return file.endsWith('.js') ? {} : readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return {};
    throw error;
  }
}
