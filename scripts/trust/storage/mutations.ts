// Changes to a database file while no hub runs.
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Draws } from '../../support/random.ts';

export type Mutation = {
  name: string;
  /** Applied to the directory of a hub that was stopped gracefully, or of one that was killed and left its log. */
  on: 'stopped' | 'killed';
  mutate(data: string, draws: Draws): void;
};

const PAGE = 4096;
const HEADER = 100;
const USER_VERSION_AT = 60;

const database = (data: string): string => join(data, 'agenthub.db');
const log = (data: string): string => join(data, 'agenthub.db-wal');

export const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  { name: 'one byte of the database flipped', on: 'stopped', mutate: (data, draws) => flip(database(data), 1, draws) },
  {
    name: 'fifty bytes of the database flipped',
    on: 'stopped',
    mutate: (data, draws) => flip(database(data), 50, draws),
  },
  {
    name: 'a byte of the header flipped',
    on: 'stopped',
    mutate: (data, draws) => flip(database(data), 1, draws, HEADER),
  },
  {
    name: 'a page zeroed',
    on: 'stopped',
    mutate: (data, draws) => overwrite(database(data), pageOf(database(data), draws), Buffer.alloc(PAGE)),
  },
  {
    name: 'a page of noise',
    on: 'stopped',
    mutate: (data, draws) => overwrite(database(data), pageOf(database(data), draws), noise(PAGE, draws)),
  },
  { name: 'a page copied over another', on: 'stopped', mutate: copyPage },
  {
    name: 'a text that is not UTF-8',
    on: 'stopped',
    mutate: (data, draws) =>
      overwrite(database(data), placeOf(database(data), 'xxxx', draws), Uint8Array.of(0xff, 0xc3)),
  },
  {
    name: 'a word of the schema changed',
    on: 'stopped',
    mutate: (data, draws) =>
      overwrite(database(data), placeOf(database(data), 'NOT NULL', draws), Buffer.from('not nulk')),
  },
  { name: 'cut anywhere', on: 'stopped', mutate: (data, draws) => cut(database(data), draws, 1) },
  { name: 'truncated after a page', on: 'stopped', mutate: (data, draws) => cut(database(data), draws, PAGE) },
  {
    name: 'noise at the end',
    on: 'stopped',
    mutate: (data, draws) => overwrite(database(data), statSync(database(data)).size, noise(PAGE * 3 + 17, draws)),
  },
  {
    name: 'noise throughout',
    on: 'stopped',
    mutate: (data, draws) => writeFileSync(database(data), noise(PAGE * 8, draws)),
  },
  {
    name: 'text',
    on: 'stopped',
    mutate: (data) => writeFileSync(database(data), 'Dear diary, somebody took my file name.\n'.repeat(400)),
  },
  { name: 'of another program', on: 'stopped', mutate: (data) => replaceBy(data, 'CREATE TABLE recipes (name TEXT)') },
  {
    name: 'of another program with our version',
    on: 'stopped',
    mutate: (data) => replaceBy(data, 'CREATE TABLE tasks (name TEXT); PRAGMA user_version = 1'),
  },
  {
    name: 'newer',
    on: 'stopped',
    mutate: (data, draws) => overwrite(database(data), USER_VERSION_AT, bigEndian(2 + Math.floor(draws.below(90)))),
  },
  { name: 'no version', on: 'stopped', mutate: (data) => overwrite(database(data), USER_VERSION_AT, bigEndian(0)) },
  { name: 'a byte of the log flipped', on: 'killed', mutate: (data, draws) => flip(log(data), 1, draws) },
  { name: 'the log cut', on: 'killed', mutate: (data, draws) => cut(log(data), draws, 1) },
  {
    name: 'the log all noise',
    on: 'killed',
    mutate: (data, draws) => writeFileSync(log(data), noise(PAGE * 4, draws)),
  },
  {
    name: 'the database truncated under its log',
    on: 'killed',
    mutate: (data, draws) => cut(database(data), draws, PAGE),
  },
  {
    name: 'the shared memory all noise',
    on: 'killed',
    mutate: (data, draws) => writeFileSync(`${database(data)}-shm`, noise(PAGE * 8, draws)),
  },
];

function flip(file: string, times: number, draws: Draws, within = statSync(file).size): void {
  const bytes = readFileSync(file);
  for (let time = 0; time < times; time++) {
    const at = Math.floor(draws.below(within));
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(draws.below(255)));
  }
  writeFileSync(file, bytes);
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

function pageOf(file: string, draws: Draws): number {
  return Math.floor(draws.below(statSync(file).size / PAGE)) * PAGE;
}

/** One of the positions of this text. */
function placeOf(file: string, text: string, draws: Draws): number {
  const bytes = readFileSync(file);
  const first = bytes.indexOf(text);
  if (first === -1) throw new Error(`${text} does not occur in ${file}`);
  const places: [number, ...number[]] = [first];
  for (let at = bytes.indexOf(text, first + 1); at !== -1; at = bytes.indexOf(text, at + 1)) places.push(at);
  return draws.oneOf(places);
}

function copyPage(data: string, draws: Draws): void {
  const file = database(data);
  const from = pageOf(file, draws);
  overwrite(file, pageOf(file, draws), readFileSync(file).subarray(from, from + PAGE));
}

function cut(file: string, draws: Draws, step: number): void {
  truncateSync(file, Math.floor(draws.below(statSync(file).size / step)) * step);
}

function noise(size: number, draws: Draws): Uint8Array {
  return Uint8Array.from({ length: size }, () => draws.below(256));
}

function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

function replaceBy(data: string, sql: string): void {
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(database(data) + suffix)) rmSync(database(data) + suffix);
  const made = new DatabaseSync(database(data));
  made.exec(sql);
  made.close();
}
