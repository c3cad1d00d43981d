// Three hubs on one PostgreSQL server while one of them is killed or hangs, or the server is killed.
import { setTimeout as after } from 'node:timers/promises';
import { openCluster } from './cluster.ts';
import { LONGEST_QUIET_MS, rowOf } from './loss.ts';

export const hubLoss = rowOf({
  name: 'hub-loss',
  promise: 'the loss of a hub is noticed by its clients only, and loses nothing',
  what: 'kill -9 of one of three hubs',
  open: openCluster,
  mostMs: 1_000,
  disturb: async (cluster, draws) => {
    const place = Math.floor(draws.below(cluster.hubs.length));
    await cluster.hubs[place]?.kill('SIGKILL');
    await after(draws.below(LONGEST_QUIET_MS));
    await cluster.restart(place);
    return place;
  },
});

export const hungHub = rowOf({
  name: 'hung-hub',
  promise: 'a hub that hangs, even within a transaction, holds up the others for a second at most',
  what: 'one of three hubs stopped for 3 s',
  open: openCluster,
  mostMs: 1_500,
  disturb: async (cluster, draws) => {
    const place = Math.floor(draws.below(cluster.hubs.length));
    const { child } = cluster.hubs[place] ?? {};
    child?.kill('SIGSTOP');
    await after(3_000);
    child?.kill('SIGCONT');
    return place;
  },
});

export const serverLoss = rowOf({
  name: 'server-loss',
  promise: 'the loss of the database server loses nothing, and the hubs continue when it is back',
  what: 'kill -9 of the PostgreSQL server of three hubs',
  open: openCluster,
  mostMs: Infinity,
  disturb: async ({ server }, draws) => {
    await server.kill();
    await after(draws.below(LONGEST_QUIET_MS));
    await server.start();
    return undefined;
  },
});
