// health_live and health_ready: what a supervisor asks before it restarts a hub, and a proxy before it sends requests.
import * as v from 'valibot';
import { unavailable } from '../../domain/errors.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const healthLive = operation({
  name: 'health_live',
  summary: 'Tell whether the process answers; a restart helps where it does not.',
  access: 'public',
  input: v.object({}),
  run: async () => ({ status: 'ok' }),
});

export const healthReady = operation({
  name: 'health_ready',
  summary: 'Tell whether requests may come: the database answers and the hub is not about to stop.',
  access: 'public',
  input: v.object({}),
  run: async (hub) => {
    if (hub.life.isStopping) throw unavailable('the hub is stopping');
    await hub.store.read((reader) => users.isAny(reader));
    return { status: 'ok' };
  },
});
