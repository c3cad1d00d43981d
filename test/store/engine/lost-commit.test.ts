// A commit whose answer is lost, and a server that gives its transaction id to another transaction after a crash.
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openLine } from '../../../scripts/support/network-line.ts';
import { startPostgres } from '../../../scripts/support/postgres-server.ts';
import { connectionTo } from '../../../server/store/engine/postgres/connection/connection.ts';
import { isLost } from '../../../server/store/engine/postgres/connection/errors.ts';
import { serversAt } from '../../../server/store/engine/postgres/connection/servers.ts';
import { openKnownNetworks } from '../../../server/store/engine/postgres/networks.ts';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';
import { markStart, openWriter, WRITER } from '../../../server/store/engine/postgres/writer.ts';
import { openUsage } from '../../../server/store/engine/usage.ts';
import { SERVER } from '../../support/store/postgres.ts';

const XID = 'SELECT pg_current_xact_id()::text AS xid';

test.skipIf(SERVER === undefined)(
  'the commit of another transaction with the same id is not taken for it',
  async () => {
    const server = await startPostgres({ isDurable: true });
    if (server === undefined) throw new Error('there was a server for the other tests');
    onTestFinished(server.stop);
    await prepare(server.url);
    const line = await openLine(server.url);
    const connection = connectionTo(serversAt(line.url), { options: WRITER });
    onTestFinished(async () => {
      await connection.close();
      line.close();
    });
    const options = { hubId: 'hub', networks: openKnownNetworks(), now: () => 0, onDoubt: () => {} };
    const writer = openWriter(connection, options);
    await markStart(await connection.statements(), 'hub');

    let lostId = '';
    const outcome = writer
      .transaction(
        [],
        openUsage(() => 0),
        async () => {
          const { xid } = (await (await connection.statements()).first<{ xid: string }>(XID, [])) ?? { xid: '' };
          lostId = xid;
          line.cut(); // the commit does not arrive
        },
      )
      .catch((error: unknown) => error);
    await expect.poll(() => lostId).not.toBe('');
    await server.kill();
    await server.start();
    const other = new Client(server.url);
    await other.connect();
    let given = '';
    while (given !== lostId) given = (await other.query(XID)).rows[0].xid;
    await other.end();
    line.repair();
    expect(isLost(await outcome)).toBe(true);
  },
);
