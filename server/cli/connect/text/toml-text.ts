// Sets keys of one table in the text of a TOML file that a person maintains, and changes nothing else.
import { parse, TomlError } from 'smol-toml';

/** The file is not valid TOML, or uses a syntax for the table that this module does not edit. */
export class TomlFormError extends Error {}

/** Parses the text. Dates and large numbers become strings. */
export function readToml(text: string): unknown {
  try {
    const content = parse(text, { integersAsBigInt: 'asNeeded' });
    return JSON.parse(JSON.stringify(content, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new TomlFormError(`line ${error.line} is not valid TOML`);
  }
}

export type TableName = readonly [parent: string, name: string];

/** The new value of each key, in TOML syntax. Undefined removes the key. */
export type TomlKeys = Readonly<Record<string, string | undefined>>;

export function setInToml(text: string, table: TableName, keys: TomlKeys): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const statements = statementsOf(lines);
  assertEditable(statements, table, keys);
  const added = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${value}`]));
  const own = statements.filter((statement) => isSame(statement.table, table));
  const last = own.at(-1);
  if (last === undefined) return appended(text, newline, [`[${table.map(bareOrQuoted).join('.')}]`, ...added]);
  const replaced = own.filter(({ key }) => key.length === 1 && (key[0] ?? '') in keys);
  const kept = (index: number): boolean => !replaced.some(({ start, end }) => index >= start && index < end);
  return lines
    .flatMap((line, index) => [...(kept(index) ? [line] : []), ...(index === last.end - 1 ? added : [])])
    .join(newline);
}

/** Removes the table with its header and the tables below it. */
export function removeFromToml(text: string, table: TableName): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const own = statementsOf(lines).filter((statement) => startsWith(statement.table, table));
  const isOwn = (index: number): boolean => own.some(({ start, end }) => index >= start && index < end);
  // A blank line before the table separates it from the text before.
  const isSeparator = (index: number): boolean =>
    lines[index]?.trim() === '' && own.some(({ key, start }) => key.length === 0 && start === index + 1);
  return lines.filter((_, index) => !isOwn(index) && !isSeparator(index)).join(newline);
}

/** Strings, and objects of them as inline tables. Basic strings of TOML support the escapes of JSON. */
export function tomlValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${bareOrQuoted(key)} = ${tomlValue(inner)}`);
  return `{ ${members.join(', ')} }`;
}

function appended(text: string, newline: string, added: readonly string[]): string {
  const end = text === '' || text.endsWith('\n') ? '' : newline;
  const separator = text.trim() === '' ? '' : newline;
  return `${text}${end}${separator}${added.join(newline)}${newline}`;
}

function bareOrQuoted(part: string): string {
  return /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
}

/** A header (whose key is empty) or a key with its value. Spans the lines from `start` up to, not including, `end`. */
type Statement = { table: string[]; key: string[]; start: number; end: number };

function statementsOf(lines: readonly string[]): Statement[] {
  const statements: Statement[] = [];
  const value = valueScanner();
  let table: string[] = [];
  for (const [index, line] of lines.entries()) {
    const latest = statements.at(-1);
    if (value.isOpen()) {
      if (latest !== undefined) latest.end = index + 1;
      value.read(line);
      continue;
    }
    const header = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
    const [, key, rest = ''] =
      /^\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=(.*)$/.exec(line) ?? [];
    if (header !== undefined) table = partsOf(header);
    if (header === undefined && key === undefined) continue;
    statements.push({ table, key: partsOf(key ?? ''), start: index, end: index + 1 });
    value.read(rest);
  }
  return statements;
}

/** Tracks a value across lines: a triple-quoted string, an array or an inline table may span several. */
function valueScanner(): { read(text: string): void; isOpen(): boolean } {
  let quotes = '';
  let depth = 0;
  const readToken = (text: string): string => {
    const pattern =
      quotes === ''
        ? /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*|[[\]{}]/
        : quotes === '"""'
          ? /(?<=(?:^|[^\\])(?:\\\\)*)"""/
          : /'''/;
    const found = pattern.exec(text);
    if (found === null) return '';
    const [token] = found;
    if (token === '"""' || token === "'''") quotes = quotes === '' ? token : '';
    if (token === '[' || token === '{') depth++;
    if (token === ']' || token === '}') depth--;
    return text.slice(found.index + token.length);
  };
  return {
    read: (text) => {
      for (let rest = text; rest !== ''; ) rest = readToken(rest);
    },
    isOpen: () => quotes !== '' || depth > 0,
  };
}

function partsOf(key: string): string[] {
  return Array.from(
    key.matchAll(/"([^"]*)"|'([^']*)'|([^\s."']+)/g),
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((part, index) => path[index] === part);
}

// The same table may also be written with dotted keys, inline tables, or a separate table for one of the keys.
function assertEditable(statements: readonly Statement[], table: TableName, keys: TomlKeys): void {
  const isOtherForm = (statement: Statement): boolean => {
    const path = [...statement.table, ...statement.key];
    if (isSame(statement.table, table)) return statement.key.length > 1 && (statement.key[0] ?? '') in keys;
    if (statement.table.length > table.length) return startsWith(path, table) && (path[table.length] ?? '') in keys;
    return statement.key.length > 0 && (startsWith(path, table) || isSame(path, table.slice(0, 1)));
  };
  if (statements.some(isOtherForm))
    throw new TomlFormError(`it writes ${table.join('.')} in a form that agenthub does not edit`);
}
