// prune: removes records past their retention now, or counts them in a dry run.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_KEPT_DAYS, MAX_KEPT_HOURS } from '../../domain/limits.ts';
import type { Pruned } from '../../events/memory.ts';
import { removeOld } from '../retention.ts';
import { auditOperator, operatorOperation } from './operator-operation.ts';

const days = v.optional(fields.wholeNumberFrom(0, MAX_KEPT_DAYS));

export const pruneHub = operatorOperation({
  name: 'prune',
  /** Omitted periods default to the hub's configuration. */
  input: v.object({
    dry_run: v.optional(v.boolean(), false),
    keep_events_hours: v.optional(fields.wholeNumberFrom(1, MAX_KEPT_HOURS)),
    keep_messages_days: days,
    keep_tasks_days: days,
    keep_audit_days: days,
  }),
  run: async (hub, { dry_run: dryRun, ...asked }) => {
    const { settings } = hub;
    const kept = {
      keep_events_hours: asked.keep_events_hours ?? settings.keep_events_hours,
      keep_messages_days: asked.keep_messages_days ?? settings.keep_messages_days,
      keep_tasks_days: asked.keep_tasks_days ?? settings.keep_tasks_days,
      keep_audit_days: asked.keep_audit_days ?? settings.keep_audit_days,
    };
    const pruned = await removeOld(hub, kept, { dryRun });
    if (!dryRun)
      await hub.store.write((tx) =>
        auditOperator(tx, { action: 'hub.prune', target: ['hub', null], detail: described(pruned) }),
      );
    return { ok: true, dry_run: dryRun, ...kept, pruned };
  },
});

function described(pruned: Pruned): string {
  return Object.entries(pruned)
    .map(([kind, count]) => `${count} ${kind.replace('_', ' ')}`)
    .join(', ');
}
