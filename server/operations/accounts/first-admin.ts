// Decides who may create the first account, which becomes the admin: on loopback anyone, on a hub reachable from other
// machines or by other users of this one (require_setup_token) only the holder of the setup token.
import type { Visitor } from '../../domain/accounts/caller.ts';
import { isOpenToOthers, type Reachability } from '../../domain/addresses.ts';
import type { Settings } from '../../domain/settings.ts';

/** Whether every first registration needs the setup token. The log then has the setup link from the start. */
export function isSetupGuarded(settings: Pick<Settings, 'require_setup_token'> & Reachability): boolean {
  return settings.require_setup_token || isOpenToOthers(settings);
}

/** A forwarded request may come from anywhere, even on loopback, if the proxy is not configured. */
export function needsSetupToken(settings: Settings, { isForwarded = false }: Visitor): boolean {
  return isForwarded || isSetupGuarded(settings);
}
