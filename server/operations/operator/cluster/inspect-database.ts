// doctor: returns what this hub finds out about its PostgreSQL database, whose URL doctor may not know.
import * as v from 'valibot';
import { operatorOperation } from '../operator-operation.ts';

export const inspectDatabase = operatorOperation({
  name: 'cluster inspect',
  input: v.object({}),
  run: async ({ store: { cluster } }) => ({ ok: true, inspected: (await cluster?.inspect()) ?? null }),
});
