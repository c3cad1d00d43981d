// Reads agenthub.json in the data directory, and the files named by variables such as AGENTHUB_ADMIN_PASSWORD_FILE.
// Unknown keys cause a warning; an unreadable file prevents the start.
import { accessSync, closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../domain/text/nearest.ts';
import type { KeyName } from './keys.ts';
import { makePrivate } from './own-file.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { isOfAnotherUser, untrustedLink } from './untrusted-links.ts';

export const FILE = 'agenthub.json';

export type ConfigFile = {
  path: string;
  texts: Readonly<Record<string, string>>;
  warnings: readonly string[];
  problems: readonly string[];
  /** The keys whose value has no text form; each has its problem. */
  invalid: readonly string[];
  /** Whether the file exists but its keys are unknown. */
  isUnreadable: boolean;
};

type Known = {
  isList: (key: string) => boolean;
  isSwitch: (key: string) => boolean;
  isSecret: (key: string) => boolean;
  keys: readonly string[];
};

/** Values have the text form of flags; lists are joined by commas. Without a file, there are no values. */
export function readConfigFile(directory: string, known: Known): ConfigFile {
  const path = join(directory, FILE);
  const empty = { path, texts: {}, warnings: [], problems: [], invalid: [], isUnreadable: false };
  const link = untrustedLink(directory, [path]);
  if (link !== undefined) return { ...empty, isUnreadable: true, problems: [link] };
  try {
    const file = readIfThere(path, { followsLinks: !isOfAnotherUser(directory) });
    if (file === undefined) return empty;
    const { text } = file;
    const parsed = parse(path, objectIn(file), known);
    return {
      ...empty,
      ...parsed,
      warnings: [...repeatedKeys(text).map((key) => setTwice(path, key)), ...parsed.warnings],
    };
  } catch (error) {
    if (isDenied(error) && !mayEnter(directory))
      return {
        ...empty,
        isUnreadable: true,
        problems: [`this user cannot enter the directory ${directory}; ${REMEDY}`],
      };
    return {
      ...empty,
      isUnreadable: true,
      problems: [`${path} cannot be read: ${reasonOf(error)}${isDenied(error) ? `; ${REMEDY}` : ''}`],
    };
  }
}

const REMEDY = 'run as root or as the user the hub runs as, or chown it to that user';

function mayEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

type Read = { text: string; isOwn: boolean };

/** A link that replaces the file just before it is opened is not followed either. */
function readIfThere(path: string, { followsLinks }: { followsLinks: boolean }): Read | undefined {
  try {
    return readOpen(openSync(path, followsLinks ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NOFOLLOW));
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    if (isMissing && !isLink(path)) return undefined;
    throw error;
  }
}

function readOpen(file: number): Read {
  try {
    return { text: readFileSync(file, 'utf8'), isOwn: fstatSync(file).uid === (process.getuid?.() ?? 0) };
  } finally {
    closeSync(file);
  }
}

/** A link without a target: the settings that it should lead to would be lost without a word. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function objectIn(file: Read): Readonly<Record<string, unknown>> {
  const value = valueIn(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it must contain one JSON object, such as {"port": 8080}');
  return Object.fromEntries(Object.entries(value));
}

/** The error quotes the text only if it belongs to the user that runs this: others may not be allowed to see it. */
function valueIn({ text, isOwn }: Read): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw isOwn ? error : new Error('it is not valid JSON');
  }
}

function parse(
  path: string,
  object: Readonly<Record<string, unknown>>,
  known: Known,
): Pick<ConfigFile, 'texts' | 'warnings' | 'problems' | 'invalid'> {
  const keys = Object.keys(object).filter((key) => known.keys.includes(key));
  const texts = keys.map(
    (key) => [key, textOf(object[key], { isList: known.isList(key), isSwitch: known.isSwitch(key) })] as const,
  );
  const invalid = texts.filter(([, text]) => text === undefined).map(([key]) => key);
  return {
    texts: Object.fromEntries(texts.flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]))),
    warnings: [
      ...Object.keys(object)
        .filter((key) => !known.keys.includes(key))
        .map((key) => unknownKey(path, key, known.keys)),
      ...(keys.some(known.isSecret) && isOpenToOthers(path)
        ? [`${path} contains a secret and other users can read it; run ${makePrivate(path)}`]
        : []),
    ],
    invalid,
    problems: invalid.map(
      (key) =>
        `${key} in ${path} is ${JSON.stringify(object[key])} but must be ${known.isSwitch(key) ? 'true or false' : `a string or a number${known.isList(key) ? ', or a list of strings' : ''}`}`,
    ),
  };
}

function setTwice(path: string, key: string): string {
  return `${path}: ${key} is set more than once, and only the last value counts; remove the others`;
}

function unknownKey(path: string, key: string, keys: readonly string[]): string {
  if (key === ('data' satisfies KeyName))
    return `${path}: data is ignored, because this file is in the data directory; set it with --data or AGENTHUB_DATA`;
  const near = nearest(key, keys);
  const hint = near === undefined ? '`agenthub config print` lists all keys' : `did you mean ${near}?`;
  return `${path}: unknown key ${key} is ignored; ${hint}`;
}

function textOf(value: unknown, { isList, isSwitch }: { isList: boolean; isSwitch: boolean }): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || (isSwitch && typeof value === 'boolean'))
    return String(value);
  return isList && Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(',')
    : undefined;
}

function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
}

/** Reads a file that contains one secret, without the trailing newline of an editor. Throws file system errors. */
export function readSecret(path: string): string {
  return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
}

/** The reason on one line: errors of JSON.parse quote the invalid text. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  return ('code' in error ? String(error.code) : error.message).replace(/\s+/g, ' ');
}
