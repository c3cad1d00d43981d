// hub address: returns the URL of the running hub on this machine, its process, and whether its database file is still
// there, for commands that know only its data directory.
import * as v from 'valibot';
import { operatorOperation } from './operator-operation.ts';

export type ShownAddress = Awaited<ReturnType<typeof showAddress.run>>;

export const showAddress = operatorOperation({
  name: 'hub address',
  input: v.object({}),
  run: async (hub) => ({ ok: true, url: hub.url ?? null, pid: process.pid, is_gone: hub.store.isGone() }),
});
