// What a row of the endpoints holds, and the rules that many of them share.
import type * as v from 'valibot';
import type { JsonObject } from '../../../support/json.ts';
import { cursor, type Rules, text, whole } from '../members.ts';
import type { Place, User } from '../stage.ts';

export type EndpointRow = {
  /** U takes user tokens alone; N takes network tokens and, as decisions.md §1 adds, user tokens. */
  auth: 'none' | 'U' | 'N';
  /**
   * What is asked, in query or body; of a query all of it is in `network_id`, `cursor` and `limit` unless the row says
   * more.
   */
  members?: Rules;
  /** Sees to it that the call succeeds. */
  prepare?(place: Place): Promise<Call> | Call;
  answers: v.GenericSchema;
};

export type Call = {
  /** What stands in the path. */
  path?: Readonly<Record<string, string>>;
  /** What goes into query or body. */
  given?: JsonObject;
  /** Who asks, if not the owner of the place. */
  as?: User;
};

export type EndpointRows = Readonly<Record<string, EndpointRow>>;

export const networkId: Rules = { network_id: text() };
export const page: Rules = { cursor, limit: whole(1, 500) };
