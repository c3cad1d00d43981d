// The table of limits and defaults: every constant of domain/limits.ts, and how it reads. One without words of its own
// is shown under its name.
import * as limits from '../../server/domain/limits.ts';
import { roughDuration, SECOND_MS } from '../../server/domain/time/time.ts';
import { shown, table } from './table.ts';

type Row = readonly [what: string, reads: (value: number) => string];

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
  MAX_COMPLETED_ALIASES: ['aliases in one completion', atMost()],
  MAX_ALIASES_SEARCHED: ['aliases that a completion looks through', atMost()],
  MAX_REST_LIMIT: ['limit of a REST list and of get_completions', atMost()],
  MAX_THROUGHPUT_HOURS: ['hours of GET /api/stats/throughput', atMost()],
  MAX_PAGE_BYTES: ['a page ends early, with next_cursor, when its items have', mebibytes],
  MAX_TASK_EVENTS: ['events of a task that GET /api/tasks/:task_id shows, the latest', atMost()],
  MAX_TASK_REPLIES: ['replies that it shows, the latest', atMost()],
  MAX_INBOX_BYTES: ['get_inbox returns fewer messages, and `more`, above', mebibytes],
  MAX_BATCH_CALLS: ['calls of an MCP batch', atMost()],
  MAX_BATCH_ANSWER_BYTES: ['answers of an MCP batch together', mebibytes],
  MAX_URI_BYTES: ['URI of an MCP resource', atMost('bytes')],
  MAX_REQUEST_ID: ['id and progressToken of an MCP request', characters],
  DESCRIPTORS_LOOK_MS: ['how often the hub checks that it can still open a file', roughDuration],
  UNREAD_LOOK_MS: ['how often connections are looked at', roughDuration],
  MEMORY_LOOK_MS: ['how often memory use is checked', plain('ms')],
  UNREAD_SOCKET_MS: ['a connection whose client takes nothing is closed after', roughDuration],
  RESERVED_FILES: ['open files that connections leave free', plain()],
  MAX_UNSENT_BYTES: ['answers that wait for their readers', mebibytes],
  MAX_UNSENT_BYTES_PER_USER: ['… of one user, those being built included', mebibytes],
  MAX_BUILT_BYTES: ['answers of MCP batches that are being built', mebibytes],
  LARGE_ANSWER_BYTES: ['an answer counts as large from', mebibytes],
  MAX_BATCHES_AT_WORK: ['MCP batches of one user that run at one time', plain()],
  MAX_WAITING_BATCH_BYTES: ['… that wait meanwhile', mebibytes],
  MAX_WAITING_BATCH_BYTES_OF_ALL: ['… of all users', mebibytes],
  MAX_UNANSWERED_REQUESTS: ['unanswered requests of one connection', atMost()],
  MAX_WAITING_HEADS: ['addresses and headers of requests that wait on one connection', mebibytes],
  WEIGHT_OF_TEXT: ['… where each name and each value counts more than its text by', plain('bytes')],
  MAX_HEADERS: ['headers of a request', atMost()],
  SENT_AHEAD_PER_TURN: ['… that were sent ahead and begin before others are served', plain()],
  MAX_BODY_BYTES: ['body of a request', mebibytes],
  MAX_BODIES_BYTES: ['bodies that arrive at one time, beyond the first 64 KiB of each', mebibytes],
  LARGE_BODY_BYTES: ['a body counts as large from', mebibytes],
  LARGE_BODIES_BYTES_PER_TURN: ['of large bodies so much is read before others are served', mebibytes],
  UNSHARED_BODY_BYTES: ['… of each body, which are counted apart', mebibytes],
  MAX_SMALL_BODIES_BYTES: ['… of all bodies with a token', mebibytes],
  MAX_STRANGERS_BODIES_BYTES: ['… of all without', mebibytes],
  SURE_BODIES_BYTES: ['… of which no sender is refused so much while any is free', mebibytes],
  MAX_BODIES_BYTES_PER_USER: ['bodies of one user that arrive at one time', mebibytes],
  MAX_BODIES_BYTES_PER_ADDRESS: ['… of one address without a token', mebibytes],
  MAX_PUBLIC_BODY_BYTES: ['body of a request that needs no token', mebibytes],
  FREE_CHUNKS: ['chunks of a body before their length counts', plain()],
  MIN_CHUNK_BYTES: ['… which must then be, on average', atLeast('bytes')],
  MAX_QUERY_PARAMETERS: ['parameters in the query of a request', atMost()],
  MAX_DISCARDED_BYTES: ['of a refused body so much is discarded before the connection is closed', mebibytes],
  MAX_JSON_MEMBERS: ['members and list items of a body', atMost()],
  BODY_PACE_FROM_MS: ['the speed of a large body is judged after', roughDuration],
  MIN_BODY_BYTES_PER_SECOND: ['… and must be', atLeast('bytes a second')],
  BODY_IDLE_MS: ['a body of which nothing arrives is cut off after', roughDuration],
  MAX_HOOK_BODY_BYTES: ['body of a hook event', mebibytes],
  MAX_JSON_DEPTH: ['nesting of a body', atMost('levels')],
  MAX_CHECKED_BYTES: ['a database is checked whole at every start up to', mebibytes],
  MAX_CHECKED_ROWS: ['… and up to', plain('rows')],
  REGISTER_PER_MINUTE: ['registrations from one address', plain('a minute')],
  REQUESTS_LOGGED_A_MINUTE: ['refused requests, and slow requests, that are logged', plain('a minute')],
  LOGIN_PER_MINUTE: ['logins from one address; failed ones for one username', plain('a minute')],
  MAX_PASSWORDS_WAITING: ['passwords that wait to be checked', plain()],
  MAX_PASSWORDS_WAITING_PER_ADDRESS: ['… from one address', plain()],
  MAX_PASSWORDS_WAITING_PER_USER: ['… of one user', plain()],
  LOGINS_PER_USER_PER_MINUTE: ['logins of one user with the right password', plain('a minute')],
  PASSWORD_CHANGES_PER_MINUTE: ["changes of one user's password", plain('a minute')],
  FAVORED_LOGIN_TURNS_PER_MINUTE: [
    'logins of a user from a known address that go before those of strangers',
    plain('a minute'),
  ],
  FAVORED_CHANGE_TURNS_PER_MINUTE: [
    "turns of a user's changes of password, two each, that come before those of strangers",
    plain('a minute'),
  ],
  RECENT_TURNS_MS: ['… counted over', roughDuration],
  MAX_SIGN_INS: ['addresses remembered for each user', plain()],
  OFFLINE_AFTER_SECONDS: ['silence that makes an agent offline, unless configured', seconds],
  RESTART_GRACE_MS: ['grace period after a restart or a sleep before agents are marked offline', roughDuration],
  CLOCK_JUMP_MS: ['a clock of the machine that jumps, or is behind the hub, is logged above', roughDuration],
  CLOCK_TRUSTED_AFTER_MS: ['nothing is removed for its age after a start or a jump of time for', roughDuration],
  STALL_MS: ['a hub that could do nothing counts as asleep after', roughDuration],
  HEARTBEAT_DELAY_MS: ['signs of life other than a report are written within', roughDuration],
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
/** A unit, and no limit. */
const UNITS = ['MEBIBYTE'];

const VALUES = new Map<string, number>(Object.entries(limits));

export function limitTable(): string {
  const inWords = Object.entries(WORDS).map(([name, [what, reads]]) => [what, reads(VALUES.get(name) ?? NaN)]);
  const others = [...VALUES]
    .filter(([name]) => !(name in WORDS) && ![...BOUNDS_OF_KEYS, ...UNITS].includes(name))
    .map(([name, value]) => underItsName(name, value));
  return table(['limit', 'value'], [...inWords, ...others]);
}

function underItsName(name: string, value: number): string[] {
  const words = name.toLowerCase().replaceAll('_', ' ');
  return words.endsWith(' ms') ? [words.slice(0, -3), roughDuration(value)] : [words, shown(value)];
}
