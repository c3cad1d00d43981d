// Stores notifiers, with the networks whose needs they report.
import { usernameKey } from '../../domain/accounts/user.ts';
import type { Notifier, NotifierSettings, Subscription } from '../../domain/notifiers/notifier.ts';
import { inEach } from '../engine/sql.ts';
import type { Reader, Transaction } from '../engine/transaction.ts';
import { listOldest, type Page } from '../lists/newest.ts';

type Row = Omit<Notifier, 'triggers' | 'enabled'> & { triggers: string; enabled: 0 | 1 };

const NETWORK_ID = '(SELECT n.network_id FROM networks n WHERE n.network_seq = o.network_seq) AS network_id';
const SELECTED = `o.notifier_seq, o.notifier_id, o.user_id, ${NETWORK_ID}, o.name, o.format, o.url, o.secret, o.triggers,
  o.unfetched_minutes, o.rate_limit, o.quiet_from, o.quiet_until, o.time_zone, o.enabled, o.created_at`;

function notifierOf({ triggers, enabled, ...row }: Row): Notifier {
  return { ...row, triggers: JSON.parse(triggers), enabled: enabled === 1 };
}

/** Lists the notifiers of a network, or, without one, those of a user for their own needs. */
export async function list(
  reader: Reader,
  of: { user_id: string; network_id: string | undefined },
  page: Page,
): Promise<(Notifier & { seq: number })[]> {
  const where =
    of.network_id === undefined
      ? ([['o.network_seq IS NULL AND o.user_id = ?', of.user_id]] as const)
      : ([['o.network_seq = ?', reader.networkSeq(of.network_id)]] as const);
  const found = await listOldest<Row>(
    reader,
    { select: SELECTED, from: 'notifiers o', network: undefined, sequence: 'o.notifier_seq', where },
    page,
  );
  return found.map(({ seq, ...row }) => ({ ...notifierOf(row), seq }));
}

export async function isEnabled(reader: Reader, notifierSeq: number): Promise<boolean> {
  return (
    (await reader.first('SELECT 1 FROM notifiers WHERE notifier_seq = ? AND enabled = 1', [notifierSeq])) !== undefined
  );
}

export async function find(reader: Reader, notifierId: string): Promise<Notifier | undefined> {
  const row = await reader.first<Row>(`SELECT ${SELECTED} FROM notifiers o WHERE o.notifier_id = ?`, [notifierId]);
  return row && notifierOf(row);
}

/** Counts the notifiers that a user created, up to `most`. */
export async function countOfUser(reader: Reader, userId: string, most: number): Promise<number> {
  return (await reader.all('SELECT 1 FROM notifiers WHERE user_id = ? LIMIT ?', [userId, most])).length;
}

function settingsOf(settings: NotifierSettings & Pick<Notifier, 'url' | 'secret'>) {
  return [
    settings.name,
    settings.format,
    settings.url,
    settings.secret,
    JSON.stringify(settings.triggers),
    settings.unfetched_minutes,
    settings.rate_limit,
    settings.quiet_from,
    settings.quiet_until,
    settings.time_zone,
    settings.enabled ? 1 : 0,
  ] as const;
}

export async function insert(tx: Transaction, notifier: Omit<Notifier, 'notifier_seq' | 'created_at'>): Promise<void> {
  const { notifier_id, user_id, network_id } = notifier;
  await tx.run(
    `INSERT INTO notifiers (notifier_id, user_id, network_seq, name, format, url, secret, triggers, unfetched_minutes, rate_limit,
       quiet_from, quiet_until, time_zone, enabled, active_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      notifier_id,
      user_id,
      network_id === null ? null : tx.networkSeq(network_id),
      ...settingsOf(notifier),
      tx.now,
      tx.now,
    ],
  );
}

/** A notifier that is enabled again does not report earlier needs. */
export async function update(tx: Transaction, notifier: Notifier): Promise<void> {
  await tx.run(
    `UPDATE notifiers SET active_at = CASE enabled WHEN 1 THEN active_at ELSE ? END, name = ?, format = ?, url = ?, secret = ?,
       triggers = ?, unfetched_minutes = ?, rate_limit = ?, quiet_from = ?, quiet_until = ?, time_zone = ?, enabled = ?
     WHERE notifier_seq = ?`,
    [tx.now, ...settingsOf(notifier), notifier.notifier_seq],
  );
}

export async function remove(tx: Transaction, notifierSeq: number): Promise<void> {
  await tx.run('DELETE FROM notifiers WHERE notifier_seq = ?', [notifierSeq]);
}

type SubscriptionRow = Omit<Subscription, 'triggers' | 'username_key'> & {
  triggers: string;
  username: string;
  is_own: 0 | 1;
};

const SUBSCRIBED =
  'o.notifier_seq, o.triggers, o.unfetched_minutes, o.rate_limit, o.quiet_from, o.quiet_until, o.time_zone, o.active_at, u.username';
const IN_NETWORK = 'n.network_id, n.network_seq, n.network_name';

/**
 * Lists the subscriptions of the next `limit` notifiers after a number: of enabled notifiers, users and networks. A user
 * who leaves a network receives nothing more from it, and only the owner can have notifiers for a whole network.
 */
export async function listSubscriptions(
  reader: Reader,
  after: number,
  limit: number,
): Promise<{ found: Subscription[]; next: number | undefined }> {
  const seqs = await reader.all<{ notifier_seq: number }>(
    'SELECT notifier_seq FROM notifiers WHERE notifier_seq > ? ORDER BY notifier_seq LIMIT ?',
    [after, limit],
  );
  const rows = await reader.all<SubscriptionRow>(
    inEach(
      ({ numbers }) => `SELECT ${SUBSCRIBED}, ${IN_NETWORK}, CASE WHEN o.network_seq IS NULL THEN 1 ELSE 0 END AS is_own
     FROM notifiers o JOIN users u ON u.user_id = o.user_id
     JOIN members m ON m.user_id = o.user_id JOIN networks n ON n.network_id = m.network_id
     WHERE o.notifier_seq IN ${numbers('?')} AND o.enabled = 1 AND u.disabled_at IS NULL AND n.removed_at IS NULL
       AND (o.network_seq IS NULL OR (o.network_seq = n.network_seq AND m.role = 'owner'))`,
    ),
    [JSON.stringify(seqs.map(({ notifier_seq }) => notifier_seq))],
  );
  return { found: rows.map(subscriptionOf), next: seqs.length < limit ? undefined : seqs.at(-1)?.notifier_seq };
}

function subscriptionOf({ triggers, username, is_own, ...row }: SubscriptionRow): Subscription {
  return { ...row, triggers: JSON.parse(triggers), username_key: is_own === 1 ? usernameKey(username) : null };
}
