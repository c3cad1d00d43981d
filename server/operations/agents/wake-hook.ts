// wake_hook: tells the waiter of an idle session about new mail. A waiter asks when the event stream of its agent
// announces something, and then wakes its session.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { ANY_SESSION } from '../../events/hook-sessions.ts';
import { operation } from '../operation.ts';
import { noticeOfMail, storePassedOn } from './mail-notice.ts';

const input = v.object({
  alias: fields.alias,
  session_id: v.optional(
    fields.described(fields.name, 'the session to wake; without it, mail is new if no session was told about it'),
  ),
  first: v.optional(
    fields.described(v.boolean('must be true or false'), 'the first request of a new waiter; mail is then repeated'),
    false,
  ),
  network_id: fields.networkId,
});

export const wakeHook = operation({
  name: 'wake_hook',
  summary: 'Return a notice of new messages for the waiter of an idle session, or that the session has ended.',
  access: 'write',
  input,
  run: async (hub, caller, { alias, session_id, first }, { store }) => {
    const recipient = { networkId: caller.network_id, alias, sessionId: session_id ?? ANY_SESSION };
    const session = hub.hookSessions.of(caller.network_id, alias, recipient.sessionId);
    if (session.hasEnded()) return { ended: true };
    const now = hub.clock.now();
    if (session.isInTurn(now)) return {};
    session.arrive('wake', now, session_id === undefined || !first);
    const mention = await noticeOfMail(store, session, recipient, 'wake');
    await storePassedOn(hub, store, session, recipient);
    return mention === undefined ? {} : { mention };
  },
});
