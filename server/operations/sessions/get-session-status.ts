// get_session_status: returns everything known about one agent.
import * as v from 'valibot';
import { completionSummary } from '../../domain/completion.ts';
import { sessionNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { sessionRecord } from '../../domain/session.ts';
import * as completions from '../../store/completions.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as sessions from '../../store/sessions.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { withHeartbeat } from './presence.ts';

const RECENT = 5;

export const getSessionStatus = operation({
  name: 'get_session_status',
  summary: 'Show one agent.',
  access: 'read',
  input: v.object({ alias: fields.alias, network_id: fields.networkId }),
  run: (hub, caller, { alias }, { store }) =>
    readCurrent(hub, store, async (reader) => {
      const session = await findInAny(reader, caller.networks, alias);
      if (session === undefined) throw sessionNotFound(alias);
      const recent = await completions.list(reader, { alias }, { networks: [session.network_id], limit: RECENT });
      return {
        ok: true,
        session: sessionRecord(withHeartbeat(hub, session, reader.now)),
        inbox_pending: session.pending,
        recent_completions: recent.map(completionSummary),
      };
    }),
});

/** The same for aliases that a path cannot hold: `.` and `..` are path steps. */
export const showSession = operation({ ...getSessionStatus, name: 'show_session' });

async function findInAny(
  reader: Reader,
  networks: readonly string[],
  alias: string,
): Promise<sessions.SessionWithInbox | undefined> {
  for (const network of networks) {
    const session = await sessions.findByAlias(reader, network, alias);
    if (session !== undefined) return session;
  }
  return undefined;
}
