// Decides who may create the first account, which becomes the admin: on loopback anyone, on a hub reachable from other
// machines only the holder of the setup token.
import type { Visitor } from '../../domain/accounts/caller.ts';
import { isOpenToOthers } from '../../domain/addresses.ts';
import type { Settings } from '../../domain/settings.ts';

/** A forwarded request may come from anywhere, even on loopback, if the proxy is not configured. */
export function needsSetupToken(settings: Settings, { isForwarded = false }: Visitor): boolean {
  return isForwarded || isOpenToOthers(settings);
}
