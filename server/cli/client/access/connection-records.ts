// What `connect --write` added to the files of a person, in a file that only its owner can read.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CommandError } from '../../exit-codes.ts';
import { configurationDirectory, textIn, writePrivate } from './private-file.ts';

/** A member that did not exist before, or an item of a list. */
const added = v.object({ path: v.array(v.string()), item: v.optional(v.unknown()) });
export type Added = v.InferOutput<typeof added>;

const fileRecord = v.object({
  /** The connections that use the file, such as `claude/project`. */
  owners: v.array(v.string()),
  /** A file that connect created may be deleted once it has no content. */
  isCreated: v.boolean(),
  /** The outermost directory that connect created for the file; missing in records of earlier versions. */
  directory: v.optional(v.string()),
  /**
   * The backup of the file as it was before the first write, or null if it did not exist. Only as long as nothing but
   * connect has changed the file since.
   */
  original: v.optional(v.nullable(v.string())),
  /** The permissions of the file before the first write; missing in records of earlier versions. */
  mode: v.optional(v.number()),
  /** The hash of the text that connect wrote last. */
  written: v.string(),
  /** The hash of the token that connect wrote for the environment of the client. */
  token: v.optional(v.string()),
  /** The agents of the hooks that connect wrote last; missing in records of earlier versions. */
  agents: v.optional(v.array(v.object({ url: v.string(), alias: v.string() }))),
  added: v.array(added),
});
export type FileRecord = v.InferOutput<typeof fileRecord>;

const fileRecords = v.record(v.string(), fileRecord);
export type FileRecords = v.InferOutput<typeof fileRecords>;

export function recordsFile(): string {
  return join(configurationDirectory(), 'connections.json');
}

/** By the path of the file, after symbolic links. */
export function readRecords(): FileRecords {
  const text = textIn(recordsFile());
  if (text === undefined) return {};
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), fileRecords), text);
  if (!result.success)
    throw new CommandError(`cannot read ${recordsFile()}; delete it, and run agenthub connect again`);
  return result.output;
}

export function writeRecords(records: FileRecords): void {
  if (Object.keys(records).length > 0) writePrivate(recordsFile(), records);
  else rmSync(recordsFile(), { force: true });
}

/** Where `connect` keeps the backups of the files that it changes. */
export function connectBackupsDirectory(): string {
  return join(configurationDirectory(), 'connect-backups');
}
