// health: checks the hub and its database.
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/time/time.ts';
import * as users from '../../store/users.ts';
import { needsSetupToken } from '../accounts/first-admin.ts';
import { operation } from '../operation.ts';

export const health = operation({
  name: 'health',
  summary: 'Check the hub and its database.',
  access: 'public',
  input: v.object({}),
  run: async (hub, visitor, _input, { store }) => {
    // The probe reads the users through the same queue as every request.
    const isAnyUser = await store.read((reader) => users.isAny(reader));
    const uptime = Math.floor((hub.clock.now() - hub.startedAt) / SECOND_MS);
    const { public_url, registration } = hub.settings;
    // What the console needs before login.
    const special = {
      ...(public_url !== undefined && { public_url }),
      ...(registration !== 'open' && { registration }),
    };
    return {
      status: 'ok',
      version: hub.version,
      uptime,
      ...special,
      setup: isAnyUser ? 'done' : needsSetupToken(hub.settings, visitor) ? 'token' : 'open',
    };
  },
});
