// The notice of new mail for a session that hooks report: one line, or nothing. The database is read only if new
// messages arrived since the last look.
import { HubError } from '../../domain/errors.ts';
import { isQuotable, type MailText, mention } from '../../domain/hooks/mention.ts';
import type { HookSession, Occasion } from '../../events/hook-session.ts';
import { ANY_SESSION, SESSIONS_OF_AGENT } from '../../events/hook-sessions.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as toldSessions from '../../store/told-sessions.ts';

const AT_ONCE = 100;

/** A session of an agent, or ANY_SESSION. */
type Recipient = { networkId: string; alias: string; sessionId: string };

export async function noticeOfMail(
  store: ScopedStore,
  session: HookSession,
  recipient: Recipient,
  occasion: Occasion,
): Promise<string | undefined> {
  if (!session.takeNews()) return undefined;
  try {
    const { found, last, text } = await store.read((reader) => unreadMail(reader, session, recipient));
    const [first] = found;
    const quoted = first !== undefined && text !== undefined && isQuotable(first, text) ? first.seq : undefined;
    session.told(found.length === 0 ? undefined : occasion, last, quoted); // "100+" covers those beyond the first hundred
    return found.length === 0 ? undefined : mention(recipient.alias, found, found.length === AT_ONCE, text);
  } catch (error) {
    session.keepNews();
    throw error;
  }
}

async function unreadMail(reader: Reader, session: HookSession, { networkId, alias, sessionId }: Recipient) {
  if (!session.isRecalled()) {
    const told = { networkId, alias, sessionId: sessionId === ANY_SESSION ? undefined : sessionId };
    session.recall(await toldSessions.toldUpTo(reader, told));
  }
  const found = await messages.listUnfetched(reader, networkId, alias, session.toldUpTo(), AT_ONCE);
  const last = await messages.lastNumber(reader, networkId, alias);
  return { found, last, text: found.length === 1 ? await textOf(reader, found[0]?.seq) : undefined };
}

async function textOf(reader: Reader, seq = 0): Promise<MailText | undefined> {
  return (await messages.listByNumbers(reader, [seq])).get(seq);
}

/**
 * Schedules the write of what the client has passed on: mail that the model has in full counts as fetched, and the
 * session as told about the rest. Returns the write if its network has too many that are not done.
 */
export function storePassedOn(
  hub: Hub,
  store: ScopedStore,
  session: HookSession,
  recipient: Recipient,
): Promise<void> | undefined {
  const passedOn = { read: session.takeRead(), upTo: session.takeTold() };
  if (passedOn.upTo === undefined) return undefined;
  const write = store.write((tx) => writePassedOn(tx, recipient, passedOn));
  return hub.hookSessions.defer(recipient.networkId, logFailure(hub, write));
}

type PassedOn = { read: readonly number[]; upTo: number | undefined };

async function writePassedOn(tx: Transaction, recipient: Recipient, { read, upTo }: PassedOn): Promise<void> {
  if (read.length > 0) await messages.markFetched(tx, read);
  if (upTo !== undefined && recipient.sessionId !== ANY_SESSION)
    await toldSessions.store(tx, recipient, upTo, SESSIONS_OF_AGENT);
}

/** Logs the failure of a write that follows its response, unless the sender of frequent events sees it itself. */
export function logFailure({ log }: Pick<Hub, 'log'>, write: Promise<void>): Promise<void> {
  return write.catch((error: unknown) => {
    if (!(error instanceof HubError)) log.error({ err: error }, 'a hook event was not written');
  });
}
