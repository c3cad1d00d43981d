// health_live and health_ready: liveness for a supervisor that may restart the hub, readiness for a proxy that sends it
// requests.
import * as v from 'valibot';
import { notReady, TROUBLES } from '../../domain/health/troubles.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const healthLive = operation({
  name: 'health_live',
  summary: 'Liveness: check that the process responds; restart it if not.',
  access: 'public',
  input: v.object({}),
  run: async () => ({ status: 'ok' }),
});

export const healthReady = operation({
  name: 'health_ready',
  summary:
    'Readiness: check that the hub can serve requests: its database responds, its disk is not full, enough file descriptors are free, and it is not stopping.',
  access: 'public',
  input: v.object({}),
  run: async (hub, _visitor, _input, { store }) => {
    const [trouble] = hub.troubles.listPresent().filter(({ kind }) => TROUBLES[kind].isUnready);
    if (trouble !== undefined) throw notReady(trouble.kind);
    await store.read((reader) => users.isAny(reader));
    return { status: 'ok' };
  },
});
