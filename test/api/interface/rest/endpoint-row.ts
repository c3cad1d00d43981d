// The fields of an endpoint row, and the member rules that many rows share.
import type * as v from 'valibot';
import type { JsonObject } from '../../../support/json.ts';
import type { TestNetwork, User } from '../fixture.ts';
import { cursor, type Rules, text, whole } from '../members.ts';

export type EndpointRow = {
  /** U accepts user tokens only. N accepts network tokens and, as SPECIFICATION.md §1 adds, user tokens. */
  auth: 'none' | 'U' | 'N';
  /**
   * The members of the query or body. A query has only `network_id`, `cursor` and `limit` unless the row lists more.
   */
  members?: Rules;
  /** Prepares what the call needs to succeed. */
  prepare?(network: TestNetwork): Promise<Call> | Call;
  responses: v.GenericSchema;
};

export type Call = {
  /** The path parameters. */
  path?: Readonly<Record<string, string>>;
  /** The query or body members. */
  given?: JsonObject;
  /** The caller, if not the network owner. */
  as?: User;
};

export type EndpointRows = Readonly<Record<string, EndpointRow>>;

export const networkId: Rules = { network_id: text() };
export const page: Rules = { cursor, limit: whole(1, 500) };
