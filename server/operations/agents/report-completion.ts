// report_completion: records a completion, sets the session to idle, and settles the task it names.
import * as v from 'valibot';
import type { Completion } from '../../domain/completion.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_ARTIFACT, MAX_ARTIFACTS, MAX_RESULT } from '../../domain/limits.ts';
import { statusSince } from '../../domain/session.ts';
import type { Task } from '../../domain/task.ts';
import { isLive } from '../../domain/task-status.ts';
import type { Hub } from '../../hub.ts';
import * as completions from '../../store/completions.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as sessions from '../../store/sessions.ts';
import { deliverReply } from '../messages/deliver.ts';
import { operation } from '../operation.ts';
import { countBytes, takeBytes } from '../quotas.ts';
import { publishSession } from '../sessions/presence.ts';
import { endTask } from '../tasks/move-task.ts';
import { findNamedTask } from '../tasks/named-task.ts';

const artifacts = v.pipe(
  v.array(fields.text(MAX_ARTIFACT), 'must be an array of strings'),
  v.check((items) => items.length <= MAX_ARTIFACTS, `must have at most ${MAX_ARTIFACTS} items`),
  v.metadata({ maxItems: MAX_ARTIFACTS }),
);

const input = v.object({
  alias: fields.alias,
  task: fields.described(fields.longText, 'task_id or words'),
  result: fields.text(MAX_RESULT),
  artifacts: v.optional(fields.described(artifacts, 'paths or URLs')),
  score: v.optional(fields.numberFrom(0, 10)),
  duration_minutes: v.optional(fields.numberFrom(0, 1e9)),
  network_id: fields.networkId,
});
type Report = v.InferOutput<typeof input>;

export const reportCompletion = operation({
  name: 'report_completion',
  summary: 'Report completion; become idle.',
  access: 'write',
  input,
  run: (hub, caller, report, { store }) =>
    store.write(async (tx) => {
      const task = await findNamedTask(tx, caller.network_id, report.alias, report.task);
      const isSettling = task !== undefined && isLive(task);
      const texts = [report.task, report.result, ...(report.artifacts ?? [])];
      if (isSettling) countBytes(hub, tx, caller.network_id, ...texts);
      else takeBytes(hub, tx, caller.network_id, 1, ...texts);
      const completion = newCompletion(hub.ids.next('cmp'), caller.network_id, report, task, tx.now);
      await completions.insert(tx, completion);
      if (isSettling) await settleTask(hub, tx, task, report);
      await becomeIdle(tx, caller.network_id, report.alias);
      return { ok: true, completion_id: completion.id };
    }),
});

function newCompletion(id: string, networkId: string, report: Report, task: Task | undefined, now: number): Completion {
  return {
    id,
    network_id: networkId,
    alias: report.alias,
    task: report.task,
    result: report.result,
    artifacts:
      report.artifacts === undefined || report.artifacts.length === 0 ? null : JSON.stringify(report.artifacts),
    score: report.score ?? null,
    duration_minutes: report.duration_minutes ?? null,
    task_id: task?.task_id ?? null,
    completed_at: now,
  };
}

async function settleTask(hub: Hub, tx: Transaction, task: Task, report: Report): Promise<void> {
  const by = report.alias;
  const replied = await endTask(tx, task, { verb: 'complete', to: 'replied', by, result: report.result });
  await deliverReply(hub, tx, replied, { alias: task.from_name, from_session: by, content: report.result });
}

async function becomeIdle(tx: Transaction, networkId: string, alias: string): Promise<void> {
  const session = await sessions.findByAlias(tx, networkId, alias);
  if (session === undefined) return;
  const idle = {
    ...session,
    status: 'idle',
    marked_offline: 0,
    task: null,
    progress: null,
    last_seen_at: tx.now,
    last_progress_at: tx.now,
    status_since: statusSince(session, 'idle', tx.now),
    last_status: null,
  } as const;
  await sessions.update(tx, idle);
  publishSession(tx, idle);
}
