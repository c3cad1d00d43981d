// Event ids as the hub encodes them, and the sequence numbers in them, which only its key reveals.
import type { Hub } from '../../../server/hub.ts';
import { rowsOf } from '../fixture.ts';

type OfHub = { hub: Pick<Hub, 'store' | 'publicIds'> };

/** The id of the event with this number. 0 is the position before the first event. */
export async function eventIdOf(fixture: OfHub, seq: number): Promise<string> {
  const [row] = await rowsOf(fixture, 'SELECT epoch FROM hub');
  return `${String(row?.['epoch'])}-${fixture.hub.publicIds.ofNumber('event', seq)}`;
}

/** NaN for an id that the hub did not create. */
export function seqIn({ publicIds: ids }: Pick<Hub, 'publicIds'>, eventId: string | undefined): number {
  return ids.numberIn('event', eventId?.slice(eventId.indexOf('-') + 1) ?? '') ?? Number.NaN;
}
