// A notifier sends what needs a person to a URL outside of the console. The URL and the secret are never shown again.
import type { Ids } from '../ids/ids.ts';
import type { Millis } from '../time/clock.ts';
import { timestamp, timestampOrNull } from '../time/time.ts';
import type { Format, Trigger } from './choices.ts';
import { PROBLEMS, type Problem } from './problems.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** Times of day such as `22:00`, in the time zone; both null for none. */
export type QuietHours = { quiet_from: string | null; quiet_until: string | null; time_zone: string };

export type NotifierSettings = QuietHours & {
  name: string;
  format: Format;
  triggers: readonly Trigger[];
  unfetched_minutes: number;
  /** The maximum number of notifications in ten minutes. */
  rate_limit: number;
  enabled: boolean;
};

export type Notifier = NotifierSettings & {
  notifier_seq: number;
  notifier_id: string;
  user_id: string;
  /** Null: the needs of the user in all their networks. */
  network_id: string | null;
  url: string;
  /** Signs the requests of a webhook; null for other formats. */
  secret: string | null;
  created_at: Millis;
};

/** An enabled notifier in one network that it reports. */
export type Subscription = QuietHours &
  Pick<Notifier, 'notifier_seq' | 'triggers' | 'unfetched_minutes' | 'rate_limit'> & {
    network_id: string;
    network_seq: number;
    network_name: string;
    /** The user whose needs it reports; null if it reports those of the whole network. */
    username_key: string | null;
    /** It does not report earlier needs. */
    active_at: Millis;
  };

/** Something that needs a person, as it is stored until it is delivered. */
export type Need = {
  trigger: Trigger;
  network_id: string;
  network_name: string;
  title: string;
  text: string;
  /** The page of the console, as a path. */
  path: string;
  /** The agent, the sender, or the task's recipient. */
  alias: string;
  task_id?: string;
  message_id?: string;
  at: Millis;
};

/** The outcome of an attempt. `problem` is null if the receiver accepted it. */
export type Outcome = { status: number | null; problem: Problem | null };

export type Counts = Partial<Record<Trigger, number>>;

export type Delivery = {
  delivery_seq: number;
  delivery_id: string;
  need: Need;
  /** Of a summary: how many needs of each trigger. */
  counts: Counts | null;
  is_test: boolean;
  status: DeliveryStatus;
  attempts: number;
  due_at: Millis | null;
  response_status: number | null;
  /** Of the last attempt. */
  problem: Problem | null;
  created_at: Millis;
  ended_at: Millis | null;
};

/** In the form of the Standard Webhooks specification: the secret is base64. */
export function newSigningSecret(ids: Ids): string {
  return `whsec_${Buffer.from(ids.word(32)).toString('base64')}`;
}

/** The host only: the paths of Slack, Discord and ntfy URLs are secrets. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

export function notifierRecord(notifier: Notifier) {
  const { url, notifier_seq: _, user_id: __, secret: ___, created_at, ...shown } = notifier;
  return { ...shown, host: hostOf(url), created_at: timestamp(created_at) };
}

export function sizeOfSummary(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** `error` is a code, `message` a sentence. */
export function outcomeRecord({ status, problem }: Outcome) {
  return { response_status: status, error: problem, message: problem && PROBLEMS[problem] };
}

export function deliveryRecord(delivery: Delivery) {
  const { delivery_id, need, counts, is_test, status, attempts, response_status, problem } = delivery;
  return {
    delivery_id,
    trigger: need.trigger,
    title: need.title,
    count: counts === null ? 1 : sizeOfSummary(counts),
    is_test,
    status,
    attempts,
    next_attempt_at: timestampOrNull(delivery.due_at),
    ...outcomeRecord({ status: response_status, problem }),
    created_at: timestamp(delivery.created_at),
    ended_at: timestampOrNull(delivery.ended_at),
  };
}
