// The figures of every agent, ordered by alias, so that agents can be compared.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import { operation } from '../operation.ts';
import type { PageRequest } from '../page.ts';
import { current, readSessions } from '../sessions/get-all-status.ts';
import { boundsOf, figuresOf, oldestDelivery, openCounter, openDurations, spanOf } from './figures.ts';
import { figureHours } from './get-figures.ts';

export const listFigures = operation({
  name: 'list_figures',
  summary: 'Show the same figures for each agent, by alias.',
  access: 'read',
  input: v.object({
    hours: figureHours,
    network_id: fields.networkId,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: async (hub, caller, { hours, ...page }, { store }) => {
    const { listed, next } = await readAliases(hub, store, caller.networks, page);
    const span = spanOf(hours, hub.clock.now());
    const count = openCounter(store, span);
    const figuresFor = async (agent: { network_id: string; alias: string }) => {
      const durations = openDurations();
      await count(agent, durations);
      const oldest = await oldestDelivery(store, agent.network_id, agent.alias);
      return { ...agent, ...figuresOf(durations, oldest, span) };
    };
    const byNetwork = Map.groupBy(listed, ({ network_id }) => network_id);
    const agents: Awaited<ReturnType<typeof figuresFor>>[] = [];
    for (const network_id of caller.networks)
      for (const agent of byNetwork.get(network_id) ?? []) agents.push(await figuresFor(agent));
    return { ok: true, ...boundsOf(span), agents, count: agents.length, ...next };
  },
});

/** The sessions of a page, without their texts. */
async function readAliases(hub: Hub, store: ScopedStore, networks: readonly string[], page: PageRequest) {
  const { items, next } = await readSessions(hub, current(hub, store), networks, {}, page);
  return { listed: items.map(({ network_id, alias }) => ({ network_id, alias })), next };
}
