// Faults of several hubs on one database: what they tell each other, what became of a commit, and who waits for whom.
import { clocksApart } from '../cluster/clocks-apart.ts';
import { hubLoss, hungHub, serverLoss } from '../cluster/losses.ts';
import { networkSplit } from '../cluster/network-split.ts';
import { promotion } from '../cluster/promotion.ts';
import { rollingUpgrade } from '../cluster/rolling-upgrade.ts';
import type { Fault } from './fault.ts';

export const CLUSTER_FAULTS: readonly Fault[] = [
  {
    name: 'own events published before earlier ones of other hubs',
    file: 'server/store/engine/postgres/tail.ts',
    find: 'if (published !== first - 1) return void read();',
    put: '',
    row: hubLoss,
    expected: /received other events|did not receive|twice/,
  },
  {
    name: 'a lost server fails the sends, which do not wait for it',
    file: 'server/store/engine/postgres/database.ts',
    find: 'if (isLost(error) || canRunAgain(error))',
    put: 'if (canRunAgain(error))',
    row: serverLoss,
    expected: /a send returned 500/,
  },
  {
    name: 'a hub that hangs keeps its locks',
    file: 'server/store/engine/postgres/writer.ts',
    find: 'idle_in_transaction_session_timeout=1000',
    put: 'idle_in_transaction_session_timeout=0',
    row: hungHub,
    size: 'quick',
    expected: /took \d+ ms/,
  },
  {
    name: 'the schema is contracted while hubs of the version before run',
    file: 'server/store/engine/postgres/upgrade.ts',
    find: 'await statements.exec(upgrade.expand);',
    put: "await statements.exec(`${upgrade.expand}; ${upgrade.contract ?? ''}`);",
    row: rollingUpgrade,
    expected: /a send returned 500/,
  },
  {
    name: 'a hub only ever asks the first server of its URL',
    file: 'server/store/engine/postgres/connection/servers.ts',
    find: 'const at = (start + tried) % servers.length;',
    put: 'const at = (start + tried * servers.length) % servers.length;',
    row: promotion,
    expected: /did not go on/,
  },
  {
    name: 'a hub that is cut off waits for the server without end',
    file: 'server/store/engine/postgres/database.ts',
    find: 'writing.drop();',
    put: '',
    row: networkSplit,
    expected: /no answer/,
  },
  {
    name: 'a hub keeps to its own clock',
    file: 'server/store/engine/postgres/server-time.ts',
    find: '{ monotonic }: TimeSource, now: Millis): ServerTime {',
    put: '{ monotonic, wall }: TimeSource, now: Millis): ServerTime {\n  if (now > 0) return { wall, monotonic, follow: () => {} };',
    row: clocksApart,
    expected: /wrong time|idle agents/,
  },
];
