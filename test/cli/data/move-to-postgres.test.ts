// A hub moves from its file into a PostgreSQL database and back by export and import, row for row.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { readLine } from '../../../server/domain/files/export-line.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { newMachine } from '../../support/process/machine.ts';
import { putProgram } from '../../support/process/readme-shell.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, temporaryDirectory } from '../../support/process/running-hub.ts';
import { readmeBlock } from '../../support/readme.ts';
import { createEmptyPostgres, createPostgres, SERVER } from '../../support/store/postgres.ts';
import { SCHEMA_FIXTURES, unpack } from '../../support/store/schema-fixtures.ts';

const NEWEST = SCHEMA_FIXTURES.at(-1);

const inFile = (data: string) => newCli(ANY_TARGET, { AGENTHUB_DATA: data });
const inDatabase = (url: string) =>
  newCli(ANY_TARGET, { AGENTHUB_DATA: join(temporaryDirectory(), 'data'), AGENTHUB_DATABASE: url });

/** The rows of an export, without the entries of the audit log that the commands have added. */
function rowsOf(lines: string): { table: string; row: Record<string, unknown> }[] {
  const [, ...rows] = lines.trimEnd().split('\n');
  return rows.flatMap((line, at) => {
    const content = readLine(at + 2, line);
    return 'table' in content && content.row['actor'] !== 'command line' ? [content] : [];
  });
}

async function exportOfFile(data = join(temporaryDirectory(), 'data')): Promise<string> {
  if (NEWEST === undefined) throw new Error('there are no schema fixtures');
  mkdirSync(data, { mode: 0o700, recursive: true });
  unpack(NEWEST, join(data, 'agenthub.db'));
  return outputOf(inFile(data), ['export']);
}

const sorted = (lines: string) =>
  rowsOf(lines)
    .map((row) => JSON.stringify(row))
    .toSorted();

describe.skipIf(SERVER === undefined)('a hub that moves', () => {
  test('into PostgreSQL and back is the same, row for row', async () => {
    const machine = newMachine(ANY_TARGET);
    putProgram(ANY_TARGET, join(machine.root, 'bin/agenthub'));
    const exported = await exportOfFile(join(machine.root, 'data'));
    const url = await createEmptyPostgres();
    const lines = readmeBlock('Move a hub into the database', 'sh');
    const moved = machine.paste(lines.replace('postgres://agenthub@db.example.org/agenthub', url));
    expect(moved).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`${NEWEST?.rows.tasks} tasks, ${NEWEST?.rows.messages} messages`),
    });
    const there = await outputOf(inDatabase(url), ['export']);
    expect(sorted(there)).toEqual(sorted(exported));
    const back = join(temporaryDirectory(), 'back');
    expect(await run(inFile(back), ['import', '-'], { input: there })).toMatchObject({ code: 0 });
    expect(sorted(await outputOf(inFile(back), ['export']))).toEqual(sorted(exported));
  });

  test('serves its tokens and tasks from there, and numbers what follows after what it had', async () => {
    const { hub, networkToken } = await hubOfAda({ target: ANY_TARGET });
    const send = { alias: 'worker', task: 'before', from_session: 'alice' };
    const before = await mcpClient(hub.url, networkToken).call('send_task', send);
    const lines = await outputOf(inFile(hub.data), ['export']);
    await hub.stop();
    const url = await createEmptyPostgres();
    expect(await run(inDatabase(url), ['import', '-'], { input: lines })).toMatchObject({ code: 0 });
    const there = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: url } });
    const agent = mcpClient(there.url, networkToken);
    await agent.call('send_task', { ...send, task: 'after' });
    expect(await agent.call('get_inbox', { alias: 'worker' })).toMatchObject({
      messages: [{ content: 'before' }, { content: 'after' }],
    });
    const task_id = before['task_id'];
    await agent.call('send_reply', { alias: 'alice', in_reply_to: task_id, text: 'done' });
    expect(await agent.call('get_task', { task_id })).toMatchObject({ task: { status: 'replied', result: 'done' } });
  });

  test.each([
    ['into a database with a hub', createWithHub, same, 'already holds a hub: name an empty database'],
    ['into a database with other tables', createForeign, same, 'has tables, but none of agenthub'],
    ['from a truncated export', createEmptyPostgres, truncated, 'nothing was changed'],
  ] as const)('%s is refused with one line, and nothing is stored', async (_, create, change, problem) => {
    const exported = await exportOfFile();
    const url = await create();
    const before = await contentsOf(url);
    const refused = await run(inDatabase(url), ['import', '-'], { input: change(exported) });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`^agenthub: [^\\n]*${RegExp.escape(problem)}[^\\n]*\\n$`));
    expect(await contentsOf(url)).toEqual(before);
  });

  test('a hub without users is refused the second time, too', async () => {
    const empty = inFile(join(temporaryDirectory(), 'data'));
    const hub = await startHub({ target: ANY_TARGET, data: empty.env.AGENTHUB_DATA ?? '' });
    await hub.stop();
    const exported = await outputOf(empty, ['export']);
    const url = await createEmptyPostgres();
    expect(await run(inDatabase(url), ['import', '-'], { input: exported })).toMatchObject({ code: 0 });
    expect(await run(inDatabase(url), ['import', '-'], { input: exported })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already holds a hub: name an empty database (audit_log has rows)'),
    });
  });

  test('while a hub runs there is refused, and so is --replace', async () => {
    const exported = await exportOfFile();
    const url = await createPostgres();
    await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: url } });
    const refused = await run(inDatabase(url), ['import', '-'], { input: exported });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a hub runs on this database') });
    const replacing = await run(inDatabase(url), ['import', '-', '--replace'], { input: exported });
    expect(replacing).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace works on files') });
  });
});

const same = (lines: string): string => lines;
const truncated = (lines: string): string => lines.slice(0, lines.length / 2);

async function createWithHub(): Promise<string> {
  const url = await createEmptyPostgres();
  await run(inDatabase(url), ['import', '-'], { input: await exportOfFile() });
  return url;
}

async function createForeign(): Promise<string> {
  const url = await createEmptyPostgres();
  await asked(url, 'CREATE TABLE recipes (name text)');
  return url;
}

/** The rows of a hub; none if the database holds no hub. */
async function contentsOf(url: string): Promise<string[]> {
  const { code, stdout } = await run(inDatabase(url), ['export']);
  return code === 0 ? sorted(stdout) : [];
}

async function asked(url: string, sql: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}
