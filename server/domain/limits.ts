// The limits and defaults of the interface, in one table. Lengths count Unicode code points.
import { DAY_MS, MINUTE_MS, SECOND_MS } from './time/time.ts';

export const MAX_NAME = 200; // alias, resume_id and the other short names
export const MAX_TEXT = 10_000; // a task, message, reply, context, ack response
export const MAX_RESULT = 50_000; // report_completion result, report_status output
export const MAX_REASON = 1_000;
export const MAX_ATTRIBUTE = 2_000; // server, project_dir, channels and the like
export const STORED_OUTPUT = 4_000;
export const MAX_ARTIFACTS = 50;
export const MAX_ARTIFACT = 2_000;
export const MAX_IDEMPOTENCY_KEY = 200;

export const MIN_USERNAME = 2;
export const MAX_USERNAME = 50;
export const MIN_PASSWORD = 6;
export const MAX_PASSWORD = 256;
export const MAX_DISPLAY_NAME = 100;
export const MAX_EMAIL = 254;
export const MAX_NETWORK_NAME = 100;
export const MAX_TOKEN_NAME = 100;
export const MAX_TOKEN_DAYS = 3_650;
export const MAX_INVITE_USES = 1_000;
export const MAX_INVITE_DAYS = 365;
export const DEFAULT_INVITE_DAYS = 7;
export const DEFAULT_MAX_MEMBERS = 50;
export const MAX_MAX_MEMBERS = 1_000;

/** Encoded size of a broadcast's text, times its recipients. */
export const MAX_BROADCAST_BYTES = 16 * 1024 * 1024;
export const DEFAULT_TTL_SECONDS = 3_600;
export const MAX_TTL_SECONDS = 86_400;
export const MAX_THROUGHPUT_HOURS = 168;
export const MAX_FIGURES_HOURS = 168;
export const MAX_WAIT_SECONDS = 300;
export const DEFAULT_WAIT_SECONDS = 30;

export const DEFAULT_INBOX_LIMIT = 10;
export const MAX_INBOX_LIMIT = 100;
export const DEFAULT_TASK_LIMIT = 20;
export const MAX_TASK_LIMIT = 100;
export const DEFAULT_COMPLETION_LIMIT = 20;
export const DEFAULT_REST_LIMIT = 50;
export const DEFAULT_LONG_LIMIT = 500; // sessions, networks, members, tokens, invites
export const MAX_REST_LIMIT = 500;
export const MAX_CURSOR = 1_200; // a cursor of sessions holds an alias and a network_id
export const LISTED_TEXT = 500; // length of a session's text in a list
export const LAST_OUTPUT = 200; // length of the last line of an output, or of the question at its end
export const OUTPUT_TAIL = 1_000; // length of the end of an output in which they are looked for
export const MAX_COMPLETED_ALIASES = 100; // limit of the MCP protocol
export const MAX_ALIASES_SEARCHED = 2_000;
/** Encoded size: JSON in UTF-8, before REST or MCP wraps it. */
export const MAX_PAGE_BYTES = 512 * 1024;
/** Latest events and latest replies shown with one task. */
export const MAX_TASK_EVENTS = 500;
export const MAX_TASK_REPLIES = 100;
export const MAX_INBOX_BYTES = 512 * 1024;

/** MCP: calls per batch and their total response size; length of a URI, a request id and a progress token. */
export const MAX_BATCH_CALLS = 50;
export const MAX_BATCH_ANSWER_BYTES = 8 * 1024 * 1024;
export const MAX_URI_BYTES = 1_000;
export const MAX_REQUEST_ID = 200;

export const MEBIBYTE = 1024 * 1024;
export const MAX_BODY_BYTES = MEBIBYTE;
/** A Claude Code hook event carries the whole output of a tool, none of which is stored. */
export const MAX_HOOK_BODY_BYTES = 8 * MEBIBYTE;
/** Requests without a token: register, login, invite preview. */
export const MAX_PUBLIC_BODY_BYTES = 16 * 1024;
/** All bodies being read at the same time, beyond the first `UNSHARED_BODY_BYTES` of each. */
export const MAX_BODIES_BYTES = 64 * MEBIBYTE;
/** The first part of a body, which has separate limits so that small bodies are accepted while large ones arrive. */
export const UNSHARED_BODY_BYTES = 64 * 1024;
/**
 * Limits of these first parts over all bodies, with a token and without, and what each sender may hold while memory is
 * free.
 */
export const MAX_SMALL_BODIES_BYTES = 64 * MEBIBYTE;
export const MAX_ANONYMOUS_BODIES_BYTES = 16 * MEBIBYTE;
export const GUARANTEED_BODIES_BYTES = 256 * 1024;
/** From this size on, the bytes of a body are read and parsed within `LARGE_BODIES_BYTES_PER_TURN`. */
export const LARGE_BODY_BYTES = 4 * 1024;
/** Bytes of large bodies that are read in one turn of the event loop, so that small requests do not wait for them. */
export const LARGE_BODIES_BYTES_PER_TURN = 32 * 1024;
/**
 * The longest time that one turn of the event loop reads requests; twice that for users who took little of the turn.
 * With less, 64 busy connections would meet it.
 */
export const MAX_READ_MS = 20;
/** A body is cut off if no bytes arrive for `BODY_IDLE_MS`, or if a larger one is slower than this on average. */
export const BODY_IDLE_MS = 20 * SECOND_MS;
export const BODY_PACE_FROM_MS = 5 * SECOND_MS;
export const MIN_BODY_BYTES_PER_SECOND = 8 * 1024;
export const MAX_BODIES_BYTES_PER_USER = 16 * MEBIBYTE;
export const MAX_BODIES_BYTES_PER_ADDRESS = MEBIBYTE;
/**
 * A chunk of a body costs 2 µs regardless of its length. After `FREE_CHUNKS`, chunks must have `MIN_CHUNK_BYTES` on
 * average.
 */
export const FREE_CHUNKS = 256;
export const MIN_CHUNK_BYTES = 1024;
/** Extensions of chunks are parsed byte by byte: a body may arrive as this many bytes and twice its length. */
export const FREE_EXTENSION_BYTES = 128 * 1024;
/** Bytes of an unread body that are discarded before its connection is closed. */
export const MAX_DISCARDED_BYTES = 16 * MEBIBYTE;
export const MAX_QUERY_PARAMETERS = 100;
export const MAX_JSON_DEPTH = 64;
export const MAX_JSON_MEMBERS = 10_000;

export const MAX_CHECKED_BYTES = 256 * 1024 * 1024;
export const MAX_CHECKED_ROWS = 500_000;

export const REGISTER_PER_MINUTE = 30;
export const LOGIN_PER_MINUTE = 10;
export const MAX_PASSWORDS_WAITING = 32; // a quarter of a second each
export const MAX_PASSWORDS_WAITING_PER_ADDRESS = 8;
export const MAX_PASSWORDS_WAITING_PER_USER = 4;
/**
 * Password checks per user that run before those of strangers: one for each login an address may make, and two for
 * each change of password, because the old one may be wrong.
 */
export const FAVORED_LOGIN_TURNS_PER_MINUTE = 10;
export const FAVORED_CHANGE_TURNS_PER_MINUTE = 6;
export const RECENT_TURNS_MS = MINUTE_MS;
/** Per user, with the correct password. */
export const LOGINS_PER_USER_PER_MINUTE = 20;
export const PASSWORD_CHANGES_PER_MINUTE = 3;
export const MAX_SIGN_INS = 20; // addresses remembered for each user
export const REQUESTS_LOGGED_A_MINUTE = 600;

export const MAX_NOTIFIER_NAME = 100;
export const MAX_NOTIFIER_URL = 2_000;
/** Notifications of a notifier within `NOTIFIER_RATE_MS`; further ones become one summary. */
export const MAX_NOTIFIER_RATE = 60;
export const DEFAULT_NOTIFIER_RATE = 6;
export const NOTIFIER_RATE_MS = 10 * MINUTE_MS;
export const DEFAULT_UNFETCHED_MINUTES = 5;
/** A task whose ttl is at least `EXPIRING_MIN_TTL_SECONDS` notifies this long before it runs out. */
export const EXPIRING_MS = 5 * MINUTE_MS;
export const EXPIRING_MIN_TTL_SECONDS = 600;
export const NOTIFIER_TIMEOUT_MS = 10 * SECOND_MS;
/** Requests to notifiers at the same time: of the hub, and of one user. */
export const MAX_NOTIFYING = 32;
export const MAX_NOTIFYING_PER_USER = 2;
export const NOTIFIER_TESTS_PER_MINUTE = 10;
export const DELIVERIES_KEPT_DAYS = 7;
export const MAX_DELIVERIES_KEPT = 500; // of each notifier

export const OFFLINE_AFTER_SECONDS = 600;
export const HEARTBEAT_SECONDS = 30;
export const SWEEP_SECONDS = 30;
/** An agent that works without progress for this long is stuck. */
export const STUCK_AFTER_MS = 10 * MINUTE_MS;
/** Notifiers report a running task whose agent has been offline or idle for this long. */
export const ABANDONED_AFTER_MS = 2 * MINUTE_MS;
export const RESTART_GRACE_MS = 3 * MINUTE_MS;
/** Jump of the system clock, or its lag behind the hub's clock, above which the log reports it. */
export const CLOCK_JUMP_MS = 5 * SECOND_MS;
/** Time after a start or a clock jump before records are removed by age. */
export const CLOCK_TRUSTED_AFTER_MS = 5 * MINUTE_MS;
/** A hub that did nothing for this long was suspended. */
export const STALL_MS = MINUTE_MS;
export const HEARTBEAT_DELAY_MS = 15 * SECOND_MS;
export const USER_TOKEN_IDLE_MS = 30 * DAY_MS;
export const LAST_USED_STEP_MS = MINUTE_MS;
export const EVENTS_KEPT_HOURS = 24;
export const MESSAGES_KEPT_DAYS = 90;
export const TASKS_KEPT_DAYS = 365;
export const AUDIT_KEPT_DAYS = 365;
export const MAX_KEPT_HOURS = 8_760;
export const MAX_KEPT_DAYS = 36_500;
export const IDEMPOTENCY_KEPT_MS = DAY_MS;
export const TOLD_KEPT_MS = 30 * DAY_MS;
export const DUPLICATE_WINDOW_MS = 5 * MINUTE_MS;
export const DUPLICATE_SENDS = 20;

export const MAX_STREAMS_PER_TOKEN = 100;
export const MAX_STREAMS = 20_000;
export const MAX_WAITS_PER_TOKEN = 100;
export const MAX_WAITS = 20_000;
/**
 * A connection is closed if its client reads nothing for `UNREAD_SOCKET_MS` while bytes wait; checked every
 * `UNREAD_LOOK_MS`.
 */
export const UNREAD_SOCKET_MS = 30 * SECOND_MS;
export const UNREAD_LOOK_MS = 5 * SECOND_MS;
export const MEMORY_LOOK_MS = 100;
/** Requests of one connection that wait for a response; one more closes it. */
export const MAX_UNANSWERED_REQUESTS = 16;
/**
 * Addresses and headers of all waiting requests of one connection, in bytes. Each name and value counts its length and
 * an overhead.
 */
export const MAX_WAITING_HEADS = 16 * 1024;
export const WEIGHT_OF_TEXT = 64;
/**
 * How long a pipelined request whose body has not arrived whole may wait for its turn. Meanwhile the connection is not
 * read, so the hub does not notice when the client leaves the stream or wait that the request is queued behind.
 */
export const MAX_PIPELINED_BODY_MS = 5_000;
/** Bytes announced by the pipelined requests that wait, over all connections. One beyond it closes its connection. */
export const MAX_WAITING_BODIES = 16 * MEBIBYTE;
/** What Node buffers of bodies before a handler reads them, over all connections. Beyond it, they are read later. */
export const MAX_UNHANDLED_BODIES = 64 * MEBIBYTE;
/** The bodies whose rest is discarded, over all connections and in a second. Beyond it, the connections are closed. */
export const MAX_REFUSED_BODIES = 32 * MEBIBYTE;
/** Each header takes up to 100 bytes of memory beyond its text. */
export const MAX_HEADERS = 100;
/** Pipelined requests that start in one turn of the event loop, over all connections. */
export const SENT_AHEAD_PER_TURN = 16;
/** File descriptors reserved for the database, workers and backups. */
export const RESERVED_FILES = 100;
/** With fewer left, the hub is not ready. */
export const LEAST_FREE_DESCRIPTORS = 16;
/** With less free space, the log warns. */
export const DISK_LOW_BYTES = 64 * MEBIBYTE;
/** A write that waits for this long shows that the disk hangs. */
/** How long the link for the first admin works. */
export const SETUP_TOKEN_MS = 30 * MINUTE_MS;
export const WRITES_STALLED_MS = 10 * SECOND_MS;
/** A delay of the event loop by more than this is a stall. */
export const LOOP_STALL_MS = 500;
export const RESOURCES_LOOK_MS = SECOND_MS;
/** Responses waiting to be read: per hub, and per user; smaller ones than `LARGE_ANSWER_BYTES` do not count. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
export const MAX_UNREAD_BYTES_PER_USER = 16 * 1024 * 1024;
/** How long a user whose unread response was closed waits for another, while memory for responses is short. */
export const UNREAD_PENALTY_MS = 5 * SECOND_MS;
/** Responses that batches are building, per hub; per user they count as responses waiting to be read. */
export const MAX_BUILT_BYTES = 64 * 1024 * 1024;
/** Per user: batches that run at the same time, and the size of queued ones. */
export const MAX_BATCHES_AT_WORK = 1;
export const MAX_WAITING_BATCH_BYTES = 16 * 1024 * 1024;
export const MAX_WAITING_BATCH_BYTES_OF_ALL = 64 * 1024 * 1024;
/** Per user: requests for figures that run at the same time, and queued ones. */
export const MAX_FIGURES_AT_WORK = 2;
export const MAX_WAITING_FIGURES = 500;
export const LARGE_ANSWER_BYTES = 64 * 1024;
export const STREAM_BACKLOG_BYTES = 1024 * 1024;
export const STREAM_STUCK_MS = SECOND_MS;
export const STREAM_IDLE_MS = 30 * SECOND_MS;
export const STREAM_RETRY_MS = 3_000;
