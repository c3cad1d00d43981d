// Operations of the hub's operator, who needs no account: write access to the data directory is the authorization. They
// are not available over REST or MCP, only through the socket in the data directory and the command line.
import type * as v from 'valibot';
import { OPERATOR } from '../../domain/accounts/audit-entry.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import { type InputSchema, validate } from '../operation.ts';
import { type Action, audit } from '../records/audit.ts';

export type OperatorOperation<Schema extends InputSchema, Result extends object> = {
  /** The words of the command, such as `user create`. */
  name: string;
  input: Schema;
  run(hub: Hub, input: v.InferOutput<Schema>): Promise<Result>;
};

/** An operation in a table, where the type of the input does not matter. */
export type AnyOperatorOperation<Result extends object = object> = {
  name: string;
  input: InputSchema;
  run(hub: Hub, input: never): Promise<Result>;
};

/** The input of a list. Pages are short, since some rows count related records. */
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
  // `operatorOperation` checked that the type of the input matches the schema; the table erases it.
  return performed.run(hub, validate(performed.input, raw) as never);
}

/** Writes one entry of the audit log. */
export function auditOperator(tx: Transaction, action: Action): Promise<void> {
  return audit(tx, { username: OPERATOR, ip: null }, action);
}
