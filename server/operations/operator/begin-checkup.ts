// doctor: returns the settings and diagnostics of a running hub, and a one-time code that the doctor sends to the
// public URL.
import * as v from 'valibot';
import { isOpenToOthers } from '../../domain/addresses.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { operatorOperation } from './operator-operation.ts';

export type BegunCheckup = Awaited<ReturnType<typeof beginCheckup.run>>;

export const beginCheckup = operatorOperation({
  name: 'doctor',
  input: v.object({}),
  run: async (hub) => {
    const code = `check_${hub.ids.word(24)}`;
    hub.checkups.expect(code, hub.clock.now());
    const { public_url, trust_proxy } = hub.settings;
    return {
      ok: true,
      code,
      version: hub.version,
      is_on_postgres: hub.store.cluster !== undefined,
      url: hub.url ?? null,
      is_open_to_others: isOpenToOthers(hub.settings),
      public_url: public_url ?? null,
      trust_proxy,
      configuration: hub.machine.configuration,
      diagnostics: diagnosticsOf(hub),
    };
  },
});
