// health: whether the hub answers and its database with it.
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/time.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const health = operation({
  name: 'health',
  summary: 'Tell whether the hub and its database answer.',
  access: 'public',
  input: v.object({}),
  run: async (hub) => {
    // Reading the users is the probe: it goes through the same door as every request.
    const isAnyUser = await hub.store.read((reader) => users.isAny(reader));
    const uptime = Math.floor((hub.clock.now() - hub.startedAt) / SECOND_MS);
    return { status: 'ok', version: hub.version, uptime, setup: isAnyUser ? 'done' : hub.setupToken === undefined ? 'open' : 'token' };
  },
});
