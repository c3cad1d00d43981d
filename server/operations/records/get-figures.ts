// How fast the tasks of an agent or a network are started and settled, and how many fail.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_FIGURES_HOURS } from '../../domain/limits.ts';
import { WHOLE_NETWORK } from '../../store/counts/duration-counts.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { boundsOf, figuresOf, oldestDelivery, openCounter, openDurations, spanOf } from './figures.ts';

export const figureHours = v.optional(fields.wholeNumberFrom(1, MAX_FIGURES_HOURS), 1);

export const getFigures = operation({
  name: 'get_figures',
  summary: 'Show the longest wait, times to start and settle, failure rate and throughput of an agent or a network.',
  access: 'read',
  input: v.object({ alias: v.optional(fields.alias), hours: figureHours, network_id: fields.networkId }),
  run: async (hub, caller, { alias, hours }, { store }) => {
    const span = spanOf(hours, await readCurrent(hub, store, async (reader) => reader.now));
    const durations = openDurations();
    const count = openCounter(store, span);
    let oldest = Number.POSITIVE_INFINITY;
    for (const network_id of caller.networks) {
      await count({ network_id, alias: alias ?? WHOLE_NETWORK }, durations);
      oldest = Math.min(oldest, await oldestDelivery(store, network_id, alias));
    }
    return { ok: true, ...boundsOf(span), ...figuresOf(durations, oldest, span) };
  },
});
