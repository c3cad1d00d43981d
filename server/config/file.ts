// agenthub.json in the data directory, and the files that variables such as AGENTHUB_ADMIN_PASSWORD_FILE name. A key
// nobody knows is worth a warning; a file that cannot be read stops the start.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../domain/text/nearest.ts';

export const FILE = 'agenthub.json';

export type ConfigFile = {
  path: string;
  texts: Readonly<Record<string, string>>;
  warnings: readonly string[];
  problems: readonly string[];
};

type Known = { isList: (key: string) => boolean; isSecret: (key: string) => boolean; keys: readonly string[] };

/** Values come as the text a flag would have, lists joined by commas. Without a file there are none. */
export function readConfigFile(directory: string, known: Known): ConfigFile {
  const path = join(directory, FILE);
  const empty = { path, texts: {}, warnings: [], problems: [] };
  try {
    const text = textIfThere(path);
    return text === undefined ? empty : { ...empty, ...understood(path, objectIn(text), known) };
  } catch (error) {
    const remedy = isDenied(error) ? '; be root, or the user the hub runs as' : '';
    return { ...empty, problems: [`${path} cannot be read: ${reasonOf(error)}${remedy}`] };
  }
}

// Also where there is no such file, in the directory of another user.
function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it must hold one JSON object, such as {"port": 8080}');
  return Object.fromEntries(Object.entries(value));
}

function understood(
  path: string,
  object: Readonly<Record<string, unknown>>,
  known: Known,
): Pick<ConfigFile, 'texts' | 'warnings' | 'problems'> {
  const keys = Object.keys(object).filter((key) => known.keys.includes(key));
  const texts = keys.map((key) => [key, textOf(object[key], known.isList(key))] as const);
  const shapeless = texts.filter(([, text]) => text === undefined).map(([key]) => key);
  return {
    texts: Object.fromEntries(texts.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]))),
    warnings: [
      ...Object.keys(object)
        .filter((key) => !known.keys.includes(key))
        .map((key) => unknownKey(path, key, known.keys)),
      ...(keys.some(known.isSecret) && isOpenToOthers(path)
        ? [`${path} holds a secret and others may read it; chmod 600 makes it yours alone`]
        : []),
    ],
    problems: shapeless.map(
      (key) =>
        `${key} in ${path} is ${JSON.stringify(object[key])} but must be a text or a number${known.isList(key) ? ', or a list of texts' : ''}`,
    ),
  };
}

function unknownKey(path: string, key: string, keys: readonly string[]): string {
  const near = nearest(key, keys);
  const hint = near === undefined ? '`agenthub config print` lists the keys' : `did you mean ${near}?`;
  return `${path} has ${key}, which is no key it takes and does nothing; ${hint}`;
}

function textOf(value: unknown, isList: boolean): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return isList && Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(',')
    : undefined;
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
}

/**
 * The text of a file that holds one secret, without the line end an editor leaves. Throws what the file system says.
 */
export function readSecret(path: string): string {
  return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
}

/** On one line: JSON.parse quotes the text it could not read. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  return ('code' in error ? String(error.code) : error.message).replace(/\s+/g, ' ');
}
