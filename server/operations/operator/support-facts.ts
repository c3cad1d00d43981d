// doctor --bundle: returns what the hub knows about itself for a support bundle: diagnostics, counters, and the last
// lines of its log. It contains no texts of agents, no names of networks, tokens or users, and no secrets.
import * as v from 'valibot';
import type { Distribution } from '../../events/metrics.ts';
import type { Hub } from '../../hub.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { operatorOperation } from './operator-operation.ts';

export const supportFacts = operatorOperation({
  name: 'doctor bundle',
  input: v.object({}),
  run: async (hub) => ({
    ok: true,
    configuration: hub.machine.configuration,
    diagnostics: diagnosticsOf(hub),
    counters: countersOf(hub),
    log: hub.machine.recentLog(),
  }),
});

function countersOf({ metrics }: Hub) {
  return {
    deliveries: metrics.deliveries,
    notifications: metrics.notifications,
    connections_closed: metrics.connections,
    unread_responses: metrics.unreadResponses,
    unexpected_errors: metrics.unexpected,
    failed_logins: metrics.failedLogins,
    slow_readers: metrics.slowReaders,
    repeated_groups: metrics.repeatedGroups,
    commits: averageOf(metrics.commits),
    sweeps: Object.fromEntries(metrics.sweeps),
    operations: Object.fromEntries(
      [...metrics.operations].map(([name, { ok, refused, seconds }]) => [name, { ok, refused, ...averageOf(seconds) }]),
    ),
    routes: [...metrics.routes.values()].map(({ method, path, statuses, seconds }) => ({
      method,
      path,
      statuses: Object.fromEntries(statuses),
      ...averageOf(seconds),
    })),
  };
}

function averageOf({ counts, sum }: Distribution): { count: number; average_ms: number } {
  const count = counts.reduce((total, each) => total + each, 0);
  return { count, average_ms: count === 0 ? 0 : Math.round((sum / count) * 1e6) / 1e3 };
}
