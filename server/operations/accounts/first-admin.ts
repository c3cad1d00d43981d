// Who may create the first account of a hub, which becomes its admin: on a hub that only this machine reaches, anybody;
// where others may reach it, the person with the setup token.
import type { Visitor } from '../../domain/accounts/caller.ts';
import { isOpenToOthers } from '../../domain/addresses.ts';
import type { Settings } from '../../domain/settings.ts';

/** A proxy that the hub was not told of may bring anybody. */
export function needsSetupToken(settings: Settings, { isForwarded = false }: Visitor): boolean {
  return isForwarded || isOpenToOthers(settings);
}
