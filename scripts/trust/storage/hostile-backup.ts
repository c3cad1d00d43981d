// Backups with a modified schema or modified values: restore, serve and doctor reject each, name the modification, and
// change no file. Wrong counters are recounted by restore, doctor --repair and an upgrade.
import { hash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_FIXTURES, unpack } from '../../../test/support/store/schema-fixtures.ts';
import type { Process } from '../../support/process.ts';
import { listeningAt, run, serveArguments } from '../hub.ts';
import { share } from '../lanes.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import {
  applyHostile,
  HOSTILE_CHANGES,
  HOSTILE_VALUES,
  type HostileChange,
  WRONG_COUNTERS,
} from './hostile-changes.ts';

const LANES = 2;

type Case = { change: HostileChange; schema: number; original: (file: string) => void };

const SOME_VALUES = 3;
/** Later than the data of every fixture. */
const PRESENT = Infinity;
const LATEST = SCHEMA_FIXTURES.at(-1);

export const hostileBackup: Row = {
  name: 'hostile-backup',
  promise: 'a backup with foreign triggers, views, indexes or tables, or with invalid values, is rejected by name',
  test: (count) =>
    `${count} backups of every schema with a changed schema or value, each restored, served and examined`,
  target: 'code 1 and a line that names the change, no file changed, wrong counters named and recounted',
  amounts: {
    least: HOSTILE_CHANGES.length + SOME_VALUES,
    quick: HOSTILE_CHANGES.length + HOSTILE_VALUES.length + WRONG_COUNTERS.length,
    long: allCases(() => {}).length,
  },
  run: async (trial) => {
    const present = await makePresent(trial);
    const cases = allCases((file) => copyFileSync(present, file)).slice(0, trial.amount);
    const complaints: string[] = [];
    await share(cases, LANES, async (each) => void complaints.push(...(await tryCase(trial, present, each))));
    return {
      figure: `${cases.length} backups, ${complaints.length} complaints`,
      complaints: complaint('hostile backups', complaints),
    };
  },
};

/** Those of the current schema first. */
function allCases(present: Case['original']): Case[] {
  const changes = [...HOSTILE_CHANGES, ...HOSTILE_VALUES, ...WRONG_COUNTERS];
  const originals: Omit<Case, 'change'>[] = [
    { schema: PRESENT, original: present },
    ...SCHEMA_FIXTURES.map((fixture) => ({
      schema: fixture.schema,
      original: (file: string) => unpack(fixture, file),
    })),
  ];
  return originals.flatMap((each) =>
    changes.filter(({ since = 1 }) => since <= each.schema).map((change) => ({ ...each, change })),
  );
}

/** A database of the current program with rows in every table: the latest fixture after a start. */
async function makePresent(trial: Trial): Promise<string> {
  if (LATEST === undefined) throw new Error('there is no fixture of any schema');
  const data = join(trial.directory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  unpack(LATEST, join(data, 'agenthub.db'));
  const hub = await trial.start({ data });
  await hub.kill('SIGTERM');
  return join(data, 'agenthub.db');
}

function tryCase(trial: Trial, present: string, each: Case): Promise<string[]> {
  return WRONG_COUNTERS.includes(each.change) ? tryCounter(trial, each) : tryRefused(trial, present, each);
}

async function tryCounter(trial: Trial, { change, schema, original }: Case): Promise<string[]> {
  const backup = join(trial.directory(), 'backup.db');
  original(backup);
  applyHostile(change, backup);
  const data = join(trial.directory(), 'data');
  const wrong = directoryWith(trial, backup);
  const restored = await run(trial.command, ['restore', backup, '--data', data]).ended;
  const found = [
    ...(restored.code === 0 ? [] : [`restore ended with ${restored.signal ?? restored.code}`]),
    ...(await checkAccepted(run(trial.command, ['doctor', '--port', '0', '--data', data]))),
    ...(await check('doctor', change, run(trial.command, ['doctor', '--port', '0', '--data', wrong]))),
    ...(await checkStart(run(trial.command, serveArguments(wrong)))),
    ...(await checkRepair(change, schema === PRESENT, run(trial.command, ['doctor', '--repair', '--data', wrong]))),
    ...(await checkAccepted(run(trial.command, ['doctor', '--port', '0', '--data', wrong]))),
  ];
  return found.map((each) => `${change.name}: ${each}`);
}

async function checkStart(process: Process): Promise<string[]> {
  const isListening = (await listeningAt(process)) !== undefined;
  await process.kill('SIGTERM');
  return isListening ? [] : ['serve did not accept it'];
}

/** Starting with an older schema upgrades it, and an upgrade recounts, so there is nothing left to correct. */
async function checkRepair({ message }: HostileChange, isNamed: boolean, process: Process): Promise<string[]> {
  const { code } = await process.ended;
  return code === 0 && (!isNamed || message.test(process.stdout()))
    ? []
    : [`doctor --repair ended with ${code} and printed ${process.stdout().slice(0, 200)}`];
}

async function checkAccepted(process: Process): Promise<string[]> {
  await process.ended;
  return /ok +counters/.test(process.stdout())
    ? []
    : [`the counters are still wrong: ${process.stdout().slice(0, 200)}`];
}

async function tryRefused(trial: Trial, present: string, { change, original }: Case): Promise<string[]> {
  const backup = join(trial.directory(), 'backup.db');
  original(backup);
  applyHostile(change, backup);
  const data = directoryWith(trial, present);
  const hostile = directoryWith(trial, backup);
  const files = [backup, join(data, 'agenthub.db'), join(hostile, 'agenthub.db')];
  const before = files.map(hashOf);
  const found = [
    ...(await check('restore', change, run(trial.command, ['restore', backup, '--data', data]))),
    ...(await check('doctor', change, run(trial.command, ['doctor', '--port', '0', '--data', hostile]))),
    ...(await check('serve', change, run(trial.command, serveArguments(hostile)))),
    ...files.filter((file, number) => hashOf(file) !== before[number]).map((file) => `${file} was changed`),
  ];
  return found.map((each) => `${change.name}: ${each}`);
}

function directoryWith(trial: Trial, database: string): string {
  const data = join(trial.directory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  copyFileSync(database, join(data, 'agenthub.db'));
  return data;
}

const hashOf = (file: string): string => hash('sha256', readFileSync(file));

async function check(command: string, { message }: HostileChange, process: Process): Promise<string[]> {
  if ((await listeningAt(process)) !== undefined) {
    await process.kill('SIGKILL');
    return [`${command} took it and served`];
  }
  const { code, signal } = await process.ended;
  const output = process.stdout() + process.stderr();
  if (code !== 1) return [`${command} ended with ${signal ?? code}`];
  return message.test(output) ? [] : [`${command} does not name it: ${output.trim().slice(0, 200)}`];
}
