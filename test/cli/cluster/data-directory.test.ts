// The data directory of a hub on PostgreSQL, named to a command that does not know its database.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { register } from '../../support/http/rest-client.ts';
import { listOf, objectIn } from '../../support/json.ts';
import { newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { startHub, temporaryDirectory } from '../../support/process/running-hub.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';

describe.skipIf(SERVER === undefined)('the data directory of a hub on PostgreSQL', () => {
  test('leads operator commands to the hub, and others to the database', async () => {
    const hub = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: await createPostgres() } });
    await register(hub.url);
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
    const { users } = objectIn(await outputOf(cli, ['user', 'list', '-o', 'json']));
    expect(listOf({ users }, 'users')).toMatchObject([{ username: 'ada' }]);
    expect(await outputOf(cli, ['audit', 'log'])).toContain('user.register');
    const elsewhere = `agenthub: the hub that runs on ${hub.data} has its data in a PostgreSQL database: name that with AGENTHUB_DATABASE\n`;
    for (const command of ['backup', 'export'])
      expect(await run(cli, [command])).toMatchObject({ code: 1, stderr: elsewhere });
    const onlyFiles = 'agenthub: doctor --repair recounts the counters of a database file, not those on PostgreSQL\n';
    expect(await run(cli, ['doctor', '--repair'])).toMatchObject({ code: 1, stderr: onlyFiles });
  });

  test('does not become that of a hub with a database file without its URL, until a hub is imported into it', async () => {
    const [url, file] = [await createPostgres(), join(temporaryDirectory(), 'hub.jsonl')];
    const before = await startHub({ target: ANY_TARGET });
    const { data } = before;
    await register(before.url);
    await before.stop();
    const onFile = newCli(ANY_TARGET, { AGENTHUB_DATA: data });
    const onPostgres = newCli(ANY_TARGET, { AGENTHUB_DATA: data, AGENTHUB_DATABASE: url });
    await outputOf(onFile, ['export', file]);
    await outputOf(onPostgres, ['import', file]);
    const hub = await startHub({ target: ANY_TARGET, data, env: { AGENTHUB_DATABASE: url } });
    for (const command of [['export', `${file}.2`], ['backup']])
      expect((await run(onFile, command)).stderr).toContain(
        `the hub that runs on ${data} has its data in a PostgreSQL`,
      );
    await hub.stop();

    const { pathname, host } = new URL(url);
    const refused = `agenthub: the hub on ${data} has its data in the PostgreSQL database ${pathname.slice(1)} on ${host}, whose URL is not set; set database or AGENTHUB_DATABASE; to use a database file instead, delete ${data}/agenthub.postgres first\n`;
    for (const command of [['serve', '--port', '0'], ['user', 'list'], ['backup'], ['export', `${file}.2`]])
      expect(await run(onFile, command), command.join(' ')).toMatchObject({ code: 1, stderr: refused });
    const { checks } = JSON.parse((await run(onFile, ['doctor', '-o', 'json'])).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'database', level: 'fail' }));
    expect(await outputOf(onPostgres, ['user', 'list'])).toContain('ada');

    rmSync(file);
    await outputOf(onPostgres, ['export', file]);
    await outputOf(onFile, ['import', file, '--replace']);
    expect(await outputOf(onFile, ['user', 'list'])).toContain('ada');
    await startHub({ target: ANY_TARGET, data });
  });
});
