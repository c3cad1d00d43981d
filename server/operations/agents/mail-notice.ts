// The notice of new mail for a session that hooks report: one line, or nothing. The database is read only if new
// messages arrived since the last look.
import { isQuotable, type MailText, mention } from '../../domain/hooks/mention.ts';
import type { HookSession, Occasion } from '../../events/hook-sessions.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';

const AT_ONCE = 100;

type Recipient = { networkId: string; alias: string; occasion: Occasion };

export async function noticeOfMail(
  store: ScopedStore,
  session: HookSession,
  { networkId, alias, occasion }: Recipient,
): Promise<string | undefined> {
  if (!session.takeNews()) return undefined;
  try {
    const { found, last, text } = await store.read((reader) =>
      unreadMail(reader, networkId, alias, session.toldUpTo()),
    );
    const [first] = found;
    const quoted = first !== undefined && text !== undefined && isQuotable(first, text) ? first.seq : undefined;
    session.told(found.length === 0 ? undefined : occasion, last, quoted); // "100+" covers those beyond the first hundred
    return found.length === 0 ? undefined : mention(alias, found, found.length === AT_ONCE, text);
  } catch (error) {
    session.keepNews();
    throw error;
  }
}

async function unreadMail(reader: Reader, networkId: string, alias: string, after: number) {
  const found = await messages.listUnfetched(reader, networkId, alias, after, AT_ONCE);
  const last = await messages.lastNumber(reader, networkId, alias);
  return { found, last, text: found.length === 1 ? await textOf(reader, found[0]?.seq) : undefined };
}

async function textOf(reader: Reader, seq = 0): Promise<MailText | undefined> {
  return (await messages.listByNumbers(reader, [seq])).get(seq);
}
