// The data directory of a hub on PostgreSQL, named to a command that does not know its database.
import { describe, expect, test } from 'vitest';
import { register } from '../../support/http/rest-client.ts';
import { listOf, objectIn } from '../../support/json.ts';
import { newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { startHub } from '../../support/process/running-hub.ts';
import { createPostgres, SERVER } from '../../support/store/postgres.ts';

describe.skipIf(SERVER === undefined)('the data directory of a hub on PostgreSQL', () => {
  test('leads operator commands to the hub, and others to the database', async () => {
    const hub = await startHub({ target: ANY_TARGET, env: { AGENTHUB_DATABASE: await createPostgres() } });
    await register(hub.url);
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
    const { users } = objectIn(await outputOf(cli, ['user', 'list', '-o', 'json']));
    expect(listOf({ users }, 'users')).toMatchObject([{ username: 'ada' }]);
    expect(await outputOf(cli, ['audit', 'log'])).toContain('user.register');
    for (const command of ['backup', 'export']) {
      const refused = `agenthub: the hub that runs on ${hub.data} has its data in a PostgreSQL database: name that with AGENTHUB_DATABASE\n`;
      expect(await run(cli, [command])).toMatchObject({ code: 1, stderr: refused });
    }
    await hub.stop();
    expect((await run(cli, ['user', 'list'])).stderr).toContain(`there is no hub in ${hub.data}`);
  });
});
