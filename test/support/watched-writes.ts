// A hub whose writes are counted.
import type { Hub } from '../../server/hub.ts';
import type { Sql } from '../../server/store/engine/sql.ts';
import type { Transaction } from '../../server/store/engine/transaction.ts';

const CHANGES: Sql = {
  libsql: 'SELECT total_changes() AS changes',
  postgres: 'SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS changes FROM pg_stat_xact_user_tables',
};

/** The hub, with the number of writes and the most rows that one statement changed, including cascades and triggers. */
export function watched(hub: Hub) {
  const seen = { writes: 0, most: 0 };
  const watch = (tx: Transaction): Transaction => ({
    ...tx,
    run: async (sql, args, ...touches) => {
      const before = await tx.first<{ changes: number }>(CHANGES);
      const result = await tx.run(sql, args, ...touches);
      const after = await tx.first<{ changes: number }>(CHANGES);
      seen.most = Math.max(seen.most, Number(after?.changes) - Number(before?.changes));
      return result;
    },
  });
  const write: Hub['store']['write'] = (job, scope) => {
    seen.writes += 1;
    return hub.store.write((tx) => job(watch(tx)), scope);
  };
  return { seen, hub: { ...hub, store: { ...hub.store, write } } };
}
