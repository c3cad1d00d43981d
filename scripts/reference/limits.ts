// The table of limits and defaults: the constants of domain/limits.ts with a description and their values. A constant
// without a description does not compile.
import * as limits from '../../server/domain/limits.ts';
import { roughDuration, SECOND_MS } from '../../server/domain/time/time.ts';
import { shown, table } from './markdown.ts';

type Row = readonly [what: string, format: (value: number) => string];

const atMost =
  (unit = '') =>
  (value: number): string =>
    `at most ${shown(value)} ${unit}`.trim();
const atLeast =
  (unit: string) =>
  (value: number): string =>
    `at least ${shown(value)} ${unit}`;
const plain =
  (unit = '') =>
  (value: number): string =>
    `${shown(value)} ${unit}`.trim();
const mebibytes = (value: number): string => (value < 1024 ** 2 ? `${value / 1024} KiB` : `${value / 1024 ** 2} MiB`);
const characters = atMost('characters');
const seconds = (value: number): string => roughDuration(value * SECOND_MS);

/** Not limits, or bounds of configuration keys, which are listed with their key. */
type Unlisted = 'MEBIBYTE' | 'OUTPUT_TAIL' | 'MAX_KEPT_HOURS' | 'MAX_KEPT_DAYS';

const DESCRIPTIONS: Readonly<Record<Exclude<keyof typeof limits, Unlisted>, Row>> = {
  MAX_NAME: ['alias, resume_id and other names and ids', characters],
  MAX_TEXT: ['task, message, reply, broadcast, context, response to an inbox message', characters],
  MAX_RESULT: ['result of report_completion, output of report_status', characters],
  STORED_OUTPUT: ['stored output', (value) => `the last ${shown(value)} characters`],
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
  MAX_MAX_MEMBERS: ['max_members', atMost()],
  SETUP_TOKEN_MS: ['the setup link of the first admin expires after', roughDuration],
  MAX_TOKEN_NAME: ['name of a token', characters],
  MAX_TOKEN_DAYS: ['expires_in_days of a token', atMost()],
  MAX_INVITE_USES: ['max_uses of an invite', atMost()],
  DEFAULT_INVITE_DAYS: ['expires_in_days of an invite, by default', plain()],
  MAX_INVITE_DAYS: ['expires_in_days of an invite', atMost()],
  MAX_BROADCAST_BYTES: ['text of a broadcast, encoded, times its recipients', mebibytes],
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
  DEFAULT_LONG_LIMIT: ['limit of a list of sessions, networks, members, tokens or invites, by default', plain()],
  MAX_CURSOR: ['cursor', characters],
  LISTED_TEXT: ['a text of a session in a list, cut with …', characters],
  LAST_OUTPUT: ['last_output of a session', characters],
  MAX_COMPLETED_ALIASES: ['aliases in one completion', atMost()],
  MAX_ALIASES_SEARCHED: ['aliases that a completion searches', atMost()],
  MAX_REST_LIMIT: ['limit of a REST list and of get_completions', atMost()],
  MAX_THROUGHPUT_HOURS: ['hours of GET /api/stats/throughput', atMost()],
  MAX_FIGURES_HOURS: ['hours of GET /api/stats/figures', atMost()],
  MAX_PAGE_BYTES: ['a page ends early, with next_cursor, when its items reach', mebibytes],
  MAX_TASK_EVENTS: ['events of a task that GET /api/tasks/:task_id shows, the latest', atMost()],
  MAX_TASK_REPLIES: ['replies of a task that it shows, the latest', atMost()],
  MAX_INBOX_BYTES: ['get_inbox returns fewer messages, and `more: true`, above', mebibytes],
  MAX_BATCH_CALLS: ['calls of an MCP batch', atMost()],
  MAX_BATCH_ANSWER_BYTES: ['responses of an MCP batch, in total', mebibytes],
  MAX_URI_BYTES: ['URI of an MCP resource', atMost('bytes')],
  MAX_REQUEST_ID: ['id and progressToken of an MCP request', characters],
  RESOURCES_LOOK_MS: ['interval between checks of disk space, file descriptors and queues', roughDuration],
  LEAST_FREE_DESCRIPTORS: ['free file descriptors below which the hub is not ready', plain()],
  WRITES_STALLED_MS: ['a waiting write after which the hub is not ready', roughDuration],
  DISK_LOW_BYTES: ['free disk space below which the log warns', mebibytes],
  LOOP_STALL_MS: ['delay of the event loop that counts as a stall', plain('ms')],
  UNREAD_LOOK_MS: ['interval between checks of connections', roughDuration],
  MEMORY_LOOK_MS: ['interval between checks of memory usage', plain('ms')],
  UNREAD_SOCKET_MS: ['a connection whose client reads nothing is closed after', roughDuration],
  RESERVED_FILES: ['file descriptors reserved for other uses than connections', plain()],
  MAX_UNREAD_BYTES: ['unread responses of the hub', mebibytes],
  MAX_UNREAD_BYTES_PER_USER: ['… of one user, including those being built', mebibytes],
  UNREAD_PENALTY_MS: ['… a user whose unread response was closed waits, while memory is short', roughDuration],
  MAX_BUILT_BYTES: ['responses of MCP batches being built', mebibytes],
  LARGE_ANSWER_BYTES: ['a response counts as large from', mebibytes],
  MAX_BATCHES_AT_WORK: ['concurrent MCP batches of one user', plain()],
  MAX_WAITING_BATCH_BYTES: ['… queued', mebibytes],
  MAX_WAITING_BATCH_BYTES_OF_ALL: ['… queued, of all users', mebibytes],
  MAX_FIGURES_AT_WORK: ['concurrent requests of one user for figures', plain()],
  MAX_WAITING_FIGURES: ['… queued', plain()],
  MAX_UNANSWERED_REQUESTS: ['unanswered requests of one connection', atMost()],
  MAX_WAITING_HEADS: ['URLs and headers of requests queued on one connection', mebibytes],
  WEIGHT_OF_TEXT: ['… plus, for each name and each value,', plain('bytes')],
  MAX_PIPELINED_BODY_MS: [
    'waiting of a pipelined request whose body is incomplete',
    (value) => seconds(value / SECOND_MS),
  ],
  MAX_HEADERS: ['headers of a request', atMost()],
  SENT_AHEAD_PER_TURN: ['pipelined requests that start in one event loop turn', plain()],
  MAX_BODY_BYTES: ['body of a request', mebibytes],
  MAX_BODIES_BYTES: ['bodies being received, beyond the first 64 KiB of each', mebibytes],
  MAX_BODIES_BYTES_PER_USER: ['… of one user', mebibytes],
  MAX_BODIES_BYTES_PER_ADDRESS: ['… of one address without a token', mebibytes],
  UNSHARED_BODY_BYTES: ['the beginning of a body, which has separate limits', mebibytes],
  MAX_SMALL_BODIES_BYTES: ['… of all bodies with a token', mebibytes],
  MAX_ANONYMOUS_BODIES_BYTES: ['… of all bodies without a token', mebibytes],
  GUARANTEED_BODIES_BYTES: ['… accepted from every sender while memory is free', mebibytes],
  LARGE_BODY_BYTES: ['a body counts as large from', mebibytes],
  LARGE_BODIES_BYTES_PER_TURN: ['large bodies processed in one event loop turn', mebibytes],
  MAX_READ_MS: ['reading of requests in one event loop turn', atMost('ms')],
  MAX_PUBLIC_BODY_BYTES: ['body of a request that needs no token', mebibytes],
  FREE_CHUNKS: ['chunks of a body before their length counts', plain()],
  MIN_CHUNK_BYTES: ['… which must then be, on average', atLeast('bytes')],
  MAX_QUERY_PARAMETERS: ['parameters in the query of a request', atMost()],
  MAX_DISCARDED_BYTES: ['bytes of a rejected body discarded before the connection is closed', mebibytes],
  MAX_JSON_MEMBERS: ['members and list items of a body', atMost()],
  BODY_PACE_FROM_MS: ['the speed of a large body is checked after', roughDuration],
  MIN_BODY_BYTES_PER_SECOND: ['… and must be', atLeast('bytes a second')],
  BODY_IDLE_MS: ['a stalled body is aborted after', roughDuration],
  MAX_HOOK_BODY_BYTES: ['body of a hook event', mebibytes],
  MAX_JSON_DEPTH: ['nesting of a body', atMost('levels')],
  MAX_CHECKED_BYTES: ['a database is fully checked at every start up to', mebibytes],
  MAX_CHECKED_ROWS: ['… and up to', plain('rows')],
  REGISTER_PER_MINUTE: ['registrations from one address', plain('a minute')],
  REQUESTS_LOGGED_A_MINUTE: ['logged rejected requests, and slow requests', plain('a minute')],
  LOGIN_PER_MINUTE: ['logins from one address; failed ones for one username', plain('a minute')],
  MAX_PASSWORDS_WAITING: ['queued password checks', plain()],
  MAX_PASSWORDS_WAITING_PER_ADDRESS: ['… from one address', plain()],
  MAX_PASSWORDS_WAITING_PER_USER: ['… of one user', plain()],
  LOGINS_PER_USER_PER_MINUTE: ['logins of one user with the right password', plain('a minute')],
  PASSWORD_CHANGES_PER_MINUTE: ['password changes of one user', plain('a minute')],
  FAVORED_LOGIN_TURNS_PER_MINUTE: ['prioritized logins of a user from a known address', plain('a minute')],
  FAVORED_CHANGE_TURNS_PER_MINUTE: [
    "prioritized password hashes for a user's password changes, two per change",
    plain('a minute'),
  ],
  RECENT_TURNS_MS: ['… counted over', roughDuration],
  MAX_SIGN_INS: ['addresses remembered for each user', plain()],
  OFFLINE_AFTER_SECONDS: ['an agent without a heartbeat is offline after, unless configured', seconds],
  STUCK_AFTER_MS: ['an agent that works without progress is stuck after', roughDuration],
  RESTART_GRACE_MS: ['grace period after a restart or a sleep before agents are marked offline', roughDuration],
  CLOCK_JUMP_MS: ['a clock jump, or a clock behind the hub, is logged above', roughDuration],
  CLOCK_TRUSTED_AFTER_MS: ['after a start or a clock jump, retention is paused for', roughDuration],
  STALL_MS: ['a stall of the event loop counts as sleep after', roughDuration],
  HEARTBEAT_DELAY_MS: ['heartbeats other than reports are written within', roughDuration],
  SWEEP_SECONDS: ['time between sweeps, unless configured', seconds],
  USER_TOKEN_IDLE_MS: ['a user token that is not used expires after', roughDuration],
  LAST_USED_STEP_MS: ['last_used_at of a token is accurate to', roughDuration],
  DUPLICATE_SENDS: ['number of identical sends at which they are rejected', plain()],
  DUPLICATE_WINDOW_MS: ['… within', roughDuration],
  TOLD_KEPT_MS: [
    'a restart of the hub repeats no mention of mail to a session that was last told within',
    roughDuration,
  ],
  IDEMPOTENCY_KEPT_MS: ['an idempotency_key is remembered for', roughDuration],
  EVENTS_KEPT_HOURS: ['events are kept for replay, unless configured, for', plain('h')],
  MESSAGES_KEPT_DAYS: ['acknowledged messages are kept, unless configured, for', plain('days')],
  TASKS_KEPT_DAYS: ['settled tasks and completions are kept, unless configured, for', plain('days')],
  AUDIT_KEPT_DAYS: ['entries of the audit log are kept, unless configured, for', plain('days')],
  HEARTBEAT_SECONDS: ['time between heartbeats of a stream, unless configured', seconds],
  MAX_STREAMS_PER_TOKEN: ['concurrent event streams of one token', atMost()],
  MAX_STREAMS: ['concurrent event streams of the hub', atMost()],
  MAX_WAITS_PER_TOKEN: ['concurrent waiting tools and subscriptions of one token', atMost()],
  MAX_WAITS: ['concurrent waiting tools and subscriptions of the hub', atMost()],
  MAX_NOTIFIER_NAME: ['name of a notifier', characters],
  MAX_NOTIFIER_URL: ['URL of a notifier', characters],
  NOTIFIER_RATE_MS: ['the period that rate_limit of a notifier applies to', roughDuration],
  DEFAULT_NOTIFIER_RATE: ['rate_limit of a notifier, by default', plain()],
  MAX_NOTIFIER_RATE: ['rate_limit of a notifier', atMost()],
  DEFAULT_UNFETCHED_MINUTES: ['unfetched_minutes of a notifier, by default', plain()],
  EXPIRING_MS: ['the time before its expiry at which a task notifies', roughDuration],
  EXPIRING_MIN_TTL_SECONDS: ['… if its ttl is at least', seconds],
  NOTIFIER_TIMEOUT_MS: ['a request to a notifier takes at most', roughDuration],
  MAX_NOTIFYING: ['concurrent requests to notifiers', atMost()],
  MAX_NOTIFYING_PER_USER: ['… of one user, plus as many URL checks and tests', atMost()],
  NOTIFIER_TESTS_PER_MINUTE: ['tests of notifiers by one user', plain('a minute')],
  DELIVERIES_KEPT_DAYS: ['deliveries to notifiers are listed for', plain('days')],
  MAX_DELIVERIES_KEPT: ['… and for each notifier', atMost()],
  STREAM_RETRY_MS: ['a reader reconnects after about', roughDuration],
  STREAM_BACKLOG_BYTES: ['a reader that reads nothing is disconnected when its queued data exceeds', mebibytes],
  STREAM_IDLE_MS: ['… or when it reads nothing for', roughDuration],
  STREAM_STUCK_MS: ['… or, if it reads slowly, when it is that far behind for', roughDuration],
};

const VALUES = new Map<string, number>(Object.entries(limits));

export function limitTable(): string {
  const rows = Object.entries(DESCRIPTIONS).map(([name, [what, format]]) => [what, format(VALUES.get(name) ?? NaN)]);
  return table(['limit', 'value'], rows);
}
