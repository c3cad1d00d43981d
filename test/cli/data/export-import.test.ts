// export and import: a hub of every schema survives the round trip row for row. For an invalid line, the import reports
// its number and changes nothing.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { importHub } from '../../../server/cli/data/import.ts';
import { CommandError } from '../../../server/cli/exit-codes.ts';
import { writeLine } from '../../../server/domain/files/export-line.ts';
import { migrate } from '../../../server/store/file/migrate.ts';
import { SCHEMA_VERSION } from '../../../server/store/file/migrations.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { type Cli, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { SCHEMA_FIXTURES, type SchemaFixture, unpack } from '../../support/store/schema-fixtures.ts';
import { fingerprint } from '../../support/store/stored-data.ts';

function dataOf(fixture: SchemaFixture): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data, { mode: 0o700 });
  unpack(fixture, join(data, 'agenthub.db'));
  return data;
}

function rowsIn(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

const [FIRST] = SCHEMA_FIXTURES;
if (FIRST === undefined) throw new Error('there are no schema fixtures');

storyOnce('export and import', (target) => {
  const cliOn = (data: string): Cli => newCli(target, { AGENTHUB_DATA: data });

  test.each(SCHEMA_FIXTURES)('a hub of schema $schema survives export and import row for row', async (fixture) => {
    const data = dataOf(fixture);
    const asCopied = new DatabaseSync(join(data, 'agenthub.db')); // like a backup that was copied there by hand
    asCopied.exec('PRAGMA journal_mode = delete');
    asCopied.close();
    const upgraded = dataOf(fixture);
    await migrate(join(upgraded, 'agenthub.db'));
    const file = join(temporaryDirectory(), 'hub.jsonl');
    await outputOf(cliOn(data), ['export', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const other = join(temporaryDirectory(), 'new', 'machine');
    expect(await outputOf(cliOn(other), ['import', file])).toContain(
      `${fixture.rows.tasks} tasks, ${fixture.rows.messages} messages`,
    );
    expect(rowsIn(join(other, 'agenthub.db'), 'PRAGMA user_version')).toEqual([{ user_version: SCHEMA_VERSION }]);
    for (const table of [
      'users',
      'networks',
      'members',
      'tokens',
      'sessions',
      'tasks',
      'messages',
      'inboxes',
      'task_counts',
      'completions',
      'task_events',
      'invites',
      'nodes',
      'idempotency',
    ]) {
      const columns = rowsIn(
        join(upgraded, 'agenthub.db'),
        `SELECT group_concat(name) AS names FROM pragma_table_info('${table}')`,
      )[0]?.['names'];
      const rows = (of: string) =>
        rowsIn(join(of, 'agenthub.db'), `SELECT ${String(columns)} FROM ${table} ORDER BY 1, 2`);
      expect([table, rows(other)]).toEqual([table, rows(upgraded)]);
    }
    expect(rowsIn(join(other, 'agenthub.db'), 'SELECT epoch FROM hub')).not.toEqual(
      rowsIn(join(data, 'agenthub.db'), 'SELECT epoch FROM hub'),
    );
  });

  test('a running hub is exported as a consistent snapshot through a pipe; its tokens are valid after the import', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    await mcpClient(hub.url, networkToken).call('send_task', { alias: 'worker', task: 'build it 🟢\n\t"quoted"' });
    const lines = await outputOf(cliOn(hub.data), ['export']);
    const audit = await restClient(hub.url, networkToken).get('/api/tasks');
    expect(audit.status).toBe(200);
    expect(rowsIn(join(hub.data, 'agenthub.db'), "SELECT actor FROM audit_log WHERE action = 'hub.export'")).toEqual([
      { actor: 'command line' },
    ]);
    const other = join(temporaryDirectory(), 'other');
    const { code } = await run(cliOn(other), ['import', '-'], { input: lines });
    expect(code).toBe(0);
    expect(rowsIn(join(other, 'agenthub.db'), 'SELECT address FROM sign_ins')).toEqual([{ address: '127.0.0.1' }]);
    const again = await startHub({ target, data: other });
    expect(await mcpClient(again.url, networkToken).call('get_inbox', { alias: 'worker' })).toMatchObject({
      messages: [{ content: 'build it 🟢\n\t"quoted"' }],
    });
    const refused = await run(cliOn(hub.data), ['import', '-', '--replace'], { input: lines });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: another agenthub is using this data directory[^\n]+\n$/),
    });
  });
});

describe('a modified export', () => {
  /** Changes to the lines of a small hub, and the error that each one causes. */
  const DAMAGES: readonly [what: string, change: (lines: string[]) => string[], problem: RegExp][] = [
    [
      'a changed letter',
      (lines) => put(lines, 20, (text) => text.replace('a', 'b')),
      /: line 20: its checksum is wrong/,
    ],
    ['a missing line', (lines) => lines.toSpliced(9, 1), /: line 10: its checksum is wrong/],
    [
      'two swapped lines',
      (lines) => lines.toSpliced(9, 2, lines[10] ?? '', lines[9] ?? ''),
      /: line 10: its checksum is wrong/,
    ],
    ['a line twice', (lines) => lines.toSpliced(9, 0, lines[9] ?? ''), /: line 11: its checksum is wrong/],
    [
      'half a file',
      (lines) => [...lines.slice(0, 30), (lines[30] ?? '').slice(0, 50)],
      /: line 31: it is neither a row nor the end/,
    ],
    ['no end', (lines) => lines.slice(0, -1), /: the export is truncated: it ends after line \d+/],
    ['nothing', () => [], /: line 1: it is not the first line of an agenthub export/],
    ['another file', () => ['# notes', 'about songs'], /: line 1: it is not the first line of an agenthub export/],
    ['more after the end', (lines) => [...lines, 'and so on'], /: line \d+: unexpected content after the end/],
    [
      'a newer schema',
      (lines) => put(lines, 1, () => first({ schema: SCHEMA_VERSION + 1 })),
      /: it has schema \d+, and this agenthub supports schemas up to/,
    ],
    [
      'a newer format',
      (lines) => put(lines, 1, () => first({ format: 2 })),
      /: line 1: it has format 2, but this agenthub supports 1/,
    ],
    [
      'a row of an unknown table',
      (lines) => put(lines, 2, () => sealed(2, { table: 'songs', row: {} })),
      /: line 2: table songs does not exist/,
    ],
    [
      'an internal table of the hub',
      (lines) => put(lines, 2, () => sealed(2, { table: 'hub', row: { only_row: 1 } })),
      /: line 2: table hub does not exist/,
    ],
    [
      'an extra column',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { song: 'x' }))),
      /: line 2: users has no column song/,
    ],
    [
      'a missing column',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { role: undefined }))),
      /: line 2: the row of users has no role/,
    ],
    [
      'a value that violates a constraint',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { role: 'king' }))),
      /: line 2: .*CHECK constraint failed/,
    ],
    [
      'a value of another type',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { created_at: 'soon' }))),
      /: line 2: .*cannot store TEXT value in INTEGER column/,
    ],
    [
      'a password hash that takes days to verify',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { password_hash: `$2b$31$${'x'.repeat(53)}` }))),
      /: line 2: users\.password_hash does not have the form/,
    ],
    [
      'a time after the last valid date',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { created_at: 8_640_000_000_000_001 }))),
      /: line 2: users\.created_at is not from 0 to/,
    ],
    [
      'a sequence number beyond 48 bits',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { user_seq: 2 ** 48 }))),
      /: line 2: users\.user_seq is not from 1 to/,
    ],
    [
      'artifacts that are not JSON',
      (lines) => ofTable(lines, 'completions', { artifacts: '{not json' }),
      /: line \d+: completions\.artifacts is not the JSON/,
    ],
    [
      'an invalid token hash',
      (lines) => ofTable(lines, 'tokens', { token_hash: 'x' }),
      /: line \d+: tokens\.token_hash does not have the form/,
    ],
    [
      'a text that cannot be stored',
      (lines) => put(lines, 2, (text) => sealed(2, changed(text, { display_name: 'a\0b' }))),
      /: line 2: it is neither a row nor the end/,
    ],
    [
      'a row twice',
      (lines) => put(lines, 3, () => sealed(3, rowOf(lines[1] ?? ''))),
      /: line 3: .*UNIQUE constraint failed/,
    ],
    [
      'a reference to an unknown user',
      (lines) => put(lines, 4, (text) => sealed(4, changed(text, { owner_id: 'usr_none' }))),
      /: line 4: .*FOREIGN KEY constraint failed/,
    ],
    [
      'a wrong count',
      (lines) => put(lines, lines.length, () => sealed(lines.length, { end: true, rows: 3 })),
      /: line \d+: it declares 3 rows, but the export has \d+/,
    ],
  ];

  test('is rejected with the line number, and nothing changes, with or without an existing hub', async () => {
    const data = dataOf(FIRST);
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: data });
    const directory = temporaryDirectory();
    await outputOf(cli, ['export', join(directory, 'sound')]);
    const lines = readFileSync(join(directory, 'sound'), 'utf8').trimEnd().split('\n');
    DAMAGES.forEach(([, change], index) =>
      writeFileSync(
        join(directory, `damage ${index}`),
        change(lines)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
    writeFileSync(join(data, 'agenthub.lock'), '', { mode: 0o600 });
    const before = fingerprint(data);
    for (const [index, [what, , problem]] of DAMAGES.entries()) {
      const isElsewhere = index % 2 === 0;
      const target = isElsewhere ? { data: join(directory, `new ${index}`) } : { data, replace: true as const };
      const refused = await importHub(join(directory, `damage ${index}`), { ...target, output: 'table' }).catch(
        (error: unknown) => error,
      );
      expect.soft([what, refused instanceof CommandError && refused.exitCode]).toEqual([what, 1]);
      expect.soft(String(refused)).toMatch(problem);
      expect.soft(String(refused)).toMatch(/; nothing was changed$/);
      expect.soft(existsSync(join(directory, `new ${index}`))).toBe(false);
    }
    expect(await run(cli, ['import', join(directory, 'damage 0'), '--replace'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^agenthub: [^\n]+: line 20: [^\n]+; nothing was changed\n$/),
    });
    expect(fingerprint(data)).toEqual(before);
  });

  test('an existing hub is only replaced with --replace, and its database is kept', async () => {
    const data = dataOf(FIRST);
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: data });
    const file = join(temporaryDirectory(), 'hub.jsonl');
    await outputOf(cli, ['export', file]);
    expect(await run(cli, ['export', file])).toMatchObject({
      code: 1,
      stderr: `agenthub: ${file} already exists; choose another name, or replace it with --force\n`,
    });
    expect(await run(cli, ['import', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${data} already contains a hub`),
    });
    expect(await run(cli, ['import', join(data, 'none')])).toMatchObject({
      code: 1,
      stderr: `agenthub: there is no file ${join(data, 'none')}\n`,
    });
    expect(await run(cli, ['import', data])).toMatchObject({
      code: 1,
      stderr: `agenthub: ${data} is a directory: name the file of an export\n`,
    });
    const kept = /kept as (\S+)/.exec(await outputOf(cli, ['import', file, '--replace']))?.[1] ?? '';
    expect(rowsIn(kept, 'PRAGMA user_version')).toEqual([{ user_version: FIRST.schema }]);
  });
});

function put(lines: readonly string[], number: number, change: (text: string) => string): string[] {
  return lines.map((line, index) => (index === number - 1 ? change(line) : line));
}

/** Changes the first row of a table. */
function ofTable(lines: readonly string[], table: string, change: Record<string, string>): string[] {
  const number = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`)) + 1;
  return put(lines, number, (text) => sealed(number, changed(text, change)));
}

function rowOf(line: string): { table: string; row: Record<string, string | number | null> } {
  const { table, row } = JSON.parse(line);
  return { table, row };
}

function changed(line: string, change: Record<string, string | number | undefined>) {
  const { table, row } = rowOf(line);
  return { table, row: JSON.parse(JSON.stringify({ ...row, ...change })) };
}

/** With the valid checksum for its line number, as the program writes it. */
function sealed(number: number, content: Parameters<typeof writeLine>[1]): string {
  return writeLine(number, content).trimEnd();
}

function first(change: { schema?: number; format?: number }): string {
  return sealed(1, {
    agenthub: 'export',
    format: 1,
    schema: 1,
    version: '0.1.0',
    exported_at: '2026-11-20T09:00:00.000Z',
    ...change,
  });
}
