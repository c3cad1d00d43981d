// The table of limits and defaults: every constant of domain/limits.ts, and how it reads. One without words of its own is
// shown under its name.
import * as limits from '../../server/domain/limits.ts';
import { roughDuration, SECOND_MS } from '../../server/domain/time.ts';
import { shown, table } from './table.ts';

type Row = readonly [what: string, reads: (value: number) => string];

const atMost = (unit = '') => (value: number): string => `at most ${shown(value)} ${unit}`.trim();
const atLeast = (unit: string) => (value: number): string => `at least ${shown(value)} ${unit}`;
const plain = (unit = '') => (value: number): string => `${shown(value)} ${unit}`.trim();
const mebibytes = (value: number): string => `${value / 1024 ** 2} MiB`;
const characters = atMost('characters');
const seconds = (value: number): string => roughDuration(value * SECOND_MS);

const WORDS: Readonly<Partial<Record<keyof typeof limits, Row>>> = {
  MAX_NAME: ['alias, resume_id and other names and ids', characters],
  MAX_TEXT: ['task, message, reply, broadcast, context, response to an inbox message', characters],
  MAX_RESULT: ['result of report_completion, output of report_status', characters],
  STORED_OUTPUT: ['output that is kept', (value) => `the last ${shown(value)} characters`],
  MAX_REASON: ['reason of a cancellation, description of a network', characters],
  MAX_ATTRIBUTE: ['server, hostname and the other attributes of a session', characters],
  MAX_ARTIFACTS: ['artifacts', atMost()],
  MAX_ARTIFACT: ['one artifact', characters],
  MAX_IDEMPOTENCY_KEY: ['idempotency_key', characters],
  MIN_USERNAME: ['username', atLeast('characters')],
  MAX_USERNAME: ['username', characters],
  MIN_PASSWORD: ['password', atLeast('characters')],
  MAX_PASSWORD: ['password', characters],
  MAX_DISPLAY_NAME: ['display name', characters],
  MAX_EMAIL: ['email', characters],
  MAX_NETWORK_NAME: ['name of a network', characters],
  DEFAULT_MAX_MEMBERS: ['members of a network, unless changed', atMost()],
  MAX_MAX_MEMBERS: ['what max_members may be set to', atMost()],
  MAX_TOKEN_NAME: ['name of a token', characters],
  MAX_TOKEN_DAYS: ['expires_in_days of a token', atMost()],
  MAX_INVITE_USES: ['max_uses of an invite', atMost()],
  DEFAULT_INVITE_DAYS: ['expires_in_days of an invite, by default', plain()],
  MAX_INVITE_DAYS: ['expires_in_days of an invite', atMost()],
  DEFAULT_TTL_SECONDS: ['ttl_seconds, by default', plain()],
  MAX_TTL_SECONDS: ['ttl_seconds', atMost()],
  DEFAULT_WAIT_SECONDS: ['timeout_seconds of wait_task, by default', plain()],
  MAX_WAIT_SECONDS: ['timeout_seconds of wait_task, wait_seconds of get_inbox', atMost()],
  DEFAULT_INBOX_LIMIT: ['limit of get_inbox, by default', plain()],
  MAX_INBOX_LIMIT: ['limit of get_inbox', atMost()],
  DEFAULT_TASK_LIMIT: ['limit of list_tasks, by default', plain()],
  MAX_TASK_LIMIT: ['limit of list_tasks', atMost()],
  DEFAULT_COMPLETION_LIMIT: ['limit of get_completions, by default', plain()],
  DEFAULT_REST_LIMIT: ['limit of a REST list, by default', plain()],
  MAX_REST_LIMIT: ['limit of a REST list and of get_completions', atMost()],
  MAX_THROUGHPUT_HOURS: ['hours of GET /api/stats/throughput', atMost()],
  MAX_PAGE_CHARACTERS: ['a page ends early, with next_cursor, when its texts have', plain('characters')],
  MAX_BODY_BYTES: ['body of a request', mebibytes],
  MAX_HOOK_BODY_BYTES: ['body of a hook event', mebibytes],
  MAX_JSON_DEPTH: ['nesting of a body', atMost('levels')],
  MAX_CHECKED_BYTES: ['a database is checked whole at every start up to', mebibytes],
  REGISTER_PER_MINUTE: ['registrations from one address', plain('a minute')],
  REFUSALS_LOGGED_A_MINUTE: ['refused requests that the log names', plain('a minute')],
  LOGIN_PER_MINUTE: ['logins from one address; failed ones for one username', plain('a minute')],
  OFFLINE_AFTER_SECONDS: ['silence that makes an agent offline, unless configured', seconds],
  RESTART_GRACE_MS: ['after a restart, nobody of before is marked offline for', roughDuration],
  SIGN_OF_LIFE_DELAY_MS: ['signs of life other than a report are written within', roughDuration],
  SWEEP_SECONDS: ['time between sweeps, unless configured', seconds],
  USER_TOKEN_IDLE_MS: ['a user token ends after its last use by', roughDuration],
  LAST_USED_STEP_MS: ['last_used_at of a token is exact to', roughDuration],
  DUPLICATE_SENDS: ['identical sends that are refused, from number', plain()],
  DUPLICATE_WINDOW_MS: ['… when they come within', roughDuration],
  IDEMPOTENCY_KEPT_MS: ['an idempotency_key is remembered for', roughDuration],
  EVENTS_KEPT_HOURS: ['events are kept for replay, unless configured, for', plain('h')],
  MESSAGES_KEPT_DAYS: ['acknowledged messages are kept, unless configured, for', plain('days')],
  TASKS_KEPT_DAYS: ['settled tasks and completions are kept, unless configured, for', plain('days')],
  AUDIT_KEPT_DAYS: ['entries of the audit log are kept, unless configured, for', plain('days')],
  HEARTBEAT_SECONDS: ['time between heartbeats of a stream, unless configured', seconds],
  MAX_STREAMS_PER_TOKEN: ['event streams of one token at once', atMost()],
  MAX_STREAMS: ['event streams of the hub at once', atMost()],
  MAX_WAITS_PER_TOKEN: ['tools that wait, and subscriptions, of one token at once', atMost()],
  MAX_WAITS: ['tools that wait, and subscriptions, of the hub at once', atMost()],
  STREAM_RETRY_MS: ['a reader comes back after about', roughDuration],
  STREAM_BACKLOG_BYTES: ['a reader that takes nothing is cut off when what waits for it has', mebibytes],
  STREAM_IDLE_MS: ['… or when it takes nothing for', roughDuration],
  STREAM_STUCK_MS: ['… one that does take something, when it is that far behind for', roughDuration],
};

/** What a key of the configuration may be says the key's own line. */
const BOUNDS_OF_KEYS = ['MAX_KEPT_HOURS', 'MAX_KEPT_DAYS'];

const VALUES = new Map<string, number>(Object.entries(limits));

export function limitTable(): string {
  const inWords = Object.entries(WORDS).map(([name, [what, reads]]) => [what, reads(VALUES.get(name) ?? NaN)]);
  const others = [...VALUES].filter(([name]) => !(name in WORDS) && !BOUNDS_OF_KEYS.includes(name)).map(([name, value]) => underItsName(name, value));
  return table(['limit', 'value'], [...inWords, ...others]);
}

function underItsName(name: string, value: number): string[] {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.endsWith(' ms') ? [words.slice(0, -3), roughDuration(value)] : [words, shown(value)];
}
