// An MCP method call and its result, and the only path from server/mcp to an operation.
import type { Caller } from '../domain/accounts/caller.ts';
import { permissionDenied } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { type AnyOperation, type Client, perform } from '../operations/operation.ts';
import type { Catalogue } from './catalogue.ts';
import type { RequestId, RpcRequest } from './envelope.ts';
import type { Era, Headers } from './eras.ts';
import type { Late } from './late-answer.ts';
import type { Result } from './results.ts';

export type Call = {
  hub: Hub;
  catalogue: Catalogue;
  caller: Caller;
  recipient?: Client['recipient'];
  headers: Headers;
  era: Era;
  id: RequestId;
  params: RpcRequest['params'];
};

/** A result, immediate or late. */
export type Outcome = Result | Late<Result>;

/** Whose call it is. */
export type Asking = Pick<Call, 'hub' | 'caller' | 'recipient'>;

/** Runs an operation; /mcp accepts network tokens only. `gone` ends its wait. */
export function ask<Result extends object>(
  { hub, caller, recipient }: Asking,
  operation: AnyOperation<Result>,
  input: object,
  gone?: AbortSignal,
): Promise<Result> {
  if (caller.token_kind === 'user')
    throw permissionDenied('tools require a network token (ntok_…); this is a user token');
  return perform(operation, hub, caller, input, { recipient, gone });
}
