// Every limit and default of the interface in one table. Lengths count Unicode code points.
import { DAY_MS, MINUTE_MS, SECOND_MS } from './time.ts';

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

export const DEFAULT_TTL_SECONDS = 3_600;
export const MAX_TTL_SECONDS = 86_400;
export const MAX_THROUGHPUT_HOURS = 168;
export const MAX_WAIT_SECONDS = 300;
export const DEFAULT_WAIT_SECONDS = 30;

export const DEFAULT_INBOX_LIMIT = 10;
export const MAX_INBOX_LIMIT = 100;
export const DEFAULT_TASK_LIMIT = 20;
export const MAX_TASK_LIMIT = 100;
export const DEFAULT_COMPLETION_LIMIT = 20;
export const DEFAULT_REST_LIMIT = 50;
export const MAX_REST_LIMIT = 500;
export const MAX_PAGE_CHARACTERS = 2 * 1024 * 1024;

export const MAX_BODY_BYTES = 1024 * 1024;
/** A hook event of Claude Code carries the whole output of a tool, of which nothing is kept. */
export const MAX_HOOK_BODY_BYTES = 8 * MAX_BODY_BYTES;
export const MAX_JSON_DEPTH = 64;

export const MAX_CHECKED_BYTES = 256 * 1024 * 1024;

export const REGISTER_PER_MINUTE = 30;
export const LOGIN_PER_MINUTE = 10;
export const REFUSALS_LOGGED_A_MINUTE = 600;

export const OFFLINE_AFTER_SECONDS = 600;
export const HEARTBEAT_SECONDS = 30;
export const SWEEP_SECONDS = 30;
export const RESTART_GRACE_MS = 3 * MINUTE_MS;
export const SIGN_OF_LIFE_DELAY_MS = 15 * SECOND_MS;
export const USER_TOKEN_IDLE_MS = 30 * DAY_MS;
export const LAST_USED_STEP_MS = MINUTE_MS;
export const EVENTS_KEPT_HOURS = 24;
export const MESSAGES_KEPT_DAYS = 90;
export const TASKS_KEPT_DAYS = 365;
export const AUDIT_KEPT_DAYS = 365;
export const MAX_KEPT_HOURS = 8_760;
export const MAX_KEPT_DAYS = 36_500;
export const IDEMPOTENCY_KEPT_MS = DAY_MS;
export const DUPLICATE_WINDOW_MS = 5 * MINUTE_MS;
export const DUPLICATE_SENDS = 20;

export const MAX_STREAMS_PER_TOKEN = 100;
export const MAX_STREAMS = 20_000;
export const MAX_WAITS_PER_TOKEN = 100;
export const MAX_WAITS = 20_000;
export const STREAM_BACKLOG_BYTES = 1024 * 1024;
export const STREAM_STUCK_MS = SECOND_MS;
export const STREAM_IDLE_MS = 30 * SECOND_MS;
export const STREAM_RETRY_MS = 3_000;
