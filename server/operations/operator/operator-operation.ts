// What the operator of a hub may do, who needs no account: whoever can write the data directory is the operator. These
// operations stand in no table of REST or MCP; only the door in the data directory and the command line perform them.
import type * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import * as auditLog from '../../store/audit-log.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import { type InputSchema, validate } from '../operation.ts';

export type OperatorOperation<Schema extends InputSchema, Result extends object> = {
  /** Such as `user create`: the words of the command. */
  name: string;
  input: Schema;
  run(hub: Hub, input: v.InferOutput<Schema>): Promise<Result>;
};

/** One whose input a table need not know. */
export type AnyOperatorOperation<Result extends object = object> = {
  name: string;
  input: InputSchema;
  run(hub: Hub, input: never): Promise<Result>;
};

/** What a list takes. A page is short, since the rows of some count what is behind them. */
export const listPage = { cursor: fields.cursor, limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT) };

export function operatorOperation<Schema extends InputSchema, Result extends object>(
  literal: OperatorOperation<Schema, Result>,
): OperatorOperation<Schema, Result> {
  return literal;
}

export async function performAsOperator<Result extends object>(
  performed: AnyOperatorOperation<Result>,
  hub: Hub,
  raw: unknown,
): Promise<Result> {
  // `operatorOperation` tied the type of the input to the schema; the table of operations forgot it.
  return performed.run(hub, validate(performed.input, raw) as never);
}

/** In the audit log. No username has a blank in it. */
const ACTOR = 'command line';

type Act = { action: string; target: [type: string, id: string | null]; network_id?: string | null; detail?: string };

/** Writes one line of the audit log, in the transaction of the act. Details never hold a secret. */
export function auditOperator(
  tx: Transaction,
  { action, target: [target_type, target_id], network_id, detail }: Act,
): Promise<void> {
  return auditLog.insert(tx, {
    actor: ACTOR,
    action,
    target_type,
    target_id,
    detail: detail ?? null,
    ip: null,
    network_id: network_id ?? null,
  });
}
