// The table of configuration keys. The flags of `serve`, the table in the reference and the output of `config print`
// are generated from it.
import { isOpenToOthers } from '../domain/addresses.ts';
import { readSchedule } from '../domain/files/backup.ts';
import {
  AUDIT_KEPT_DAYS,
  EVENTS_KEPT_HOURS,
  HEARTBEAT_SECONDS,
  MAX_KEPT_DAYS,
  MAX_KEPT_HOURS,
  MESSAGES_KEPT_DAYS,
  OFFLINE_AFTER_SECONDS,
  SWEEP_SECONDS,
  TASKS_KEPT_DAYS,
} from '../domain/limits.ts';
import { QUOTAS, type QuotaName } from '../domain/quotas.ts';
import { databaseUrl, hosts, origins, password, token, username } from './key-rules.ts';
import {
  host,
  matching,
  numberFrom,
  oneOf,
  optional,
  origin,
  path,
  type Rule,
  trueOrFalse,
  wholeNumber,
} from './rules.ts';

export type Key = {
  /** The default; empty if there is none. */
  fallback: string;
  about: string;
  placeholder: string;
  read: Rule<string | number | boolean | readonly string[] | undefined>;
  alias?: string;
  isList?: true;
  /** Its flag alone means true. */
  isSwitch?: true;
  /** Never shown. Can also be read from the file named by its variable with the suffix _FILE. */
  isSecret?: true;
};

const quota = (name: QuotaName) => ({
  fallback: String(QUOTAS[name].fallback),
  about: `quota: ${QUOTAS[name].what}; 0 for no limit`,
  placeholder: 'count',
  read: wholeNumber(0, Number.MAX_SAFE_INTEGER),
});

/** Every key with its default, description and rule, in the order of `--help`. */
export const KEYS = {
  host: { fallback: '127.0.0.1', about: 'address that the hub listens on', placeholder: 'address', read: host },
  port: {
    fallback: '4747',
    about: 'port that the hub listens on; 0 for any free port',
    placeholder: 'number',
    read: wholeNumber(0, 65_535),
  },
  port_file: {
    fallback: '',
    about: 'file that contains the port while the hub serves requests; for scripts that start it with port 0',
    placeholder: 'file',
    read: optional(path),
  },
  data: { fallback: './agenthub-data', about: 'data directory', placeholder: 'directory', read: path },
  database: {
    fallback: '',
    about:
      'URL of a PostgreSQL database that several hubs share, such as postgres://hub:secret@host/hub; if empty, a file in the data directory',
    placeholder: 'url',
    read: optional(databaseUrl),
    isSecret: true,
  },
  public_url: {
    fallback: '',
    about: 'public URL of the hub, such as https://hub.example.org',
    placeholder: 'url',
    read: optional(origin),
  },
  allowed_hosts: {
    fallback: '',
    about:
      'accepted host names, comma-separated; localhost and the host of public_url are always accepted; if empty and host is not loopback, also IP addresses and names without a dot, and with TLS any name',
    placeholder: 'names',
    read: hosts,
    alias: '--allowed-host',
    isList: true,
  },
  allowed_origins: {
    fallback: '',
    about: 'origins of web pages that may call the hub, comma-separated',
    placeholder: 'origins',
    read: origins,
    alias: '--allowed-origin',
    isList: true,
  },
  trust_proxy: {
    fallback: '0',
    about: 'number of reverse proxies in front of the hub',
    placeholder: 'count',
    read: wholeNumber(0, 10),
  },
  tls_cert: {
    fallback: '',
    about: 'TLS certificate (PEM, with its chain); enables https; reloaded on SIGHUP',
    placeholder: 'file',
    read: optional(path),
  },
  tls_key: {
    fallback: '',
    about: 'private key (PEM) of the TLS certificate',
    placeholder: 'file',
    read: optional(path),
  },
  require_tls: {
    fallback: 'false',
    about:
      'refuse to start where passwords and tokens would cross the network unencrypted: plain HTTP that others can reach, without a reverse proxy (trust_proxy)',
    placeholder: 'true|false',
    read: trueOrFalse,
    isSwitch: true,
  },
  require_setup_token: {
    fallback: 'false',
    about:
      'require the setup link in the log for the first registration even if only this machine can reach the hub, because others have accounts on it',
    placeholder: 'true|false',
    read: trueOrFalse,
    isSwitch: true,
  },
  registration: {
    fallback: 'open',
    about:
      'who may register: open (anyone), invite (with an invite code) or closed (no one); the default is open, unless others can reach the hub: then it is invite; the first user can always register',
    placeholder: 'who',
    read: oneOf(['open', 'invite', 'closed']),
  },
  admin_username: {
    fallback: '',
    about: 'username of the first admin, created at startup if there are no users',
    placeholder: 'name',
    read: optional(username),
  },
  admin_password: {
    fallback: '',
    about: 'password of the first admin',
    placeholder: 'password',
    read: optional(password),
    isSecret: true,
  },
  trial_days: {
    fallback: '0',
    about: 'trial period of a new network; 0 for no time limit',
    placeholder: 'days',
    read: numberFrom(0, 36_500),
  },
  offline_after_seconds: {
    fallback: String(OFFLINE_AFTER_SECONDS),
    about: 'time without a heartbeat after which an agent is offline',
    placeholder: 'seconds',
    read: wholeNumber(1, 86_400),
  },
  heartbeat_seconds: {
    fallback: String(HEARTBEAT_SECONDS),
    about: 'time between heartbeats on an event stream',
    placeholder: 'seconds',
    read: wholeNumber(1, 3_600),
  },
  sweep_seconds: {
    fallback: String(SWEEP_SECONDS),
    about: 'time between checks for tasks that expire and agents that go offline',
    placeholder: 'seconds',
    read: wholeNumber(1, 59),
  },
  drain_seconds: {
    fallback: '0',
    about:
      'how long the hub still serves requests after SIGTERM or SIGINT, while /health/ready returns 503, so that a load balancer can stop sending them; a hub that an operator drains takes 10 seconds if this is 0',
    placeholder: 'seconds',
    read: wholeNumber(0, 3_600),
  },
  metrics: {
    fallback: 'loopback',
    about: 'access to /metrics: loopback (this machine, or with metrics_token), token (only with metrics_token) or off',
    placeholder: 'who',
    read: oneOf(['loopback', 'token', 'off']),
  },
  metrics_token: {
    fallback: '',
    about: 'bearer token for /metrics, at least 16 characters',
    placeholder: 'token',
    read: optional(token),
    isSecret: true,
  },
  notifier_addresses: {
    fallback: 'public',
    about:
      "addresses that notifiers may use: public, or all (also private, loopback and link-local addresses, which lets every user send requests into the hub's network)",
    placeholder: 'which',
    read: oneOf(['public', 'all']),
  },
  backup_schedule: {
    fallback: 'off',
    about: 'schedule of backups to backups/ in the data directory: off, hourly, or daily at a local time such as 03:30',
    placeholder: 'when',
    read: matching((text) => readSchedule(text) !== undefined, 'off, hourly or a time such as 03:30'),
  },
  backup_keep: {
    fallback: '7',
    about: 'number of scheduled backups to keep; the oldest are deleted',
    placeholder: 'count',
    read: wholeNumber(1, 10_000),
  },
  keep_events_hours: {
    fallback: String(EVENTS_KEPT_HOURS),
    about: 'how long events can be replayed',
    placeholder: 'hours',
    read: wholeNumber(1, MAX_KEPT_HOURS),
  },
  keep_messages_days: {
    fallback: String(MESSAGES_KEPT_DAYS),
    about: 'how long acknowledged messages are kept; 0 means forever',
    placeholder: 'days',
    read: wholeNumber(0, MAX_KEPT_DAYS),
  },
  keep_tasks_days: {
    fallback: String(TASKS_KEPT_DAYS),
    about:
      'how long settled tasks, their events, completions, nodes that no agent reports, and unread messages to hub or to an alias without an agent are kept; 0 means forever',
    placeholder: 'days',
    read: wholeNumber(0, MAX_KEPT_DAYS),
  },
  keep_audit_days: {
    fallback: String(AUDIT_KEPT_DAYS),
    about: 'how long audit log entries are kept; 0 means forever',
    placeholder: 'days',
    read: wholeNumber(0, MAX_KEPT_DAYS),
  },
  max_networks: quota('max_networks'),
  max_memberships: quota('max_memberships'),
  max_tokens: quota('max_tokens'),
  max_invites: quota('max_invites'),
  max_notifiers: quota('max_notifiers'),
  max_sessions: quota('max_sessions'),
  max_nodes: quota('max_nodes'),
  max_pending_messages: quota('max_pending_messages'),
  max_streams_per_user: quota('max_streams_per_user'),
  max_waits_per_user: quota('max_waits_per_user'),
  max_requests_per_minute: quota('max_requests_per_minute'),
  max_broadcasts_per_minute: quota('max_broadcasts_per_minute'),
  max_changes_per_minute: quota('max_changes_per_minute'),
  max_network_bytes: quota('max_network_bytes'),
  log_level: {
    fallback: 'info',
    about: 'minimum log level: debug, info, warn or error; reloaded on SIGHUP',
    placeholder: 'level',
    read: oneOf(['debug', 'info', 'warn', 'error']),
  },
  log_format: {
    fallback: 'auto',
    about: 'log format: auto (text on a terminal, otherwise json), json or text',
    placeholder: 'format',
    read: oneOf(['auto', 'json', 'text']),
  },
} as const satisfies Readonly<Record<string, Key>>;

export type KeyName = keyof typeof KEYS;

type Default = { key: KeyName; text: string; applies: (config: Config) => boolean };

/** Defaults that depend on other keys and replace the fallback when they apply. */
export const DEPENDENT_DEFAULTS: readonly Default[] = [
  { key: 'registration', text: 'invite', applies: isOpenToOthers },
];

// Object.keys forgets the type of a literal's keys.
export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

export function isKeyName(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}

/** Paths are absolute. */
export type Config = { [Name in KeyName]: ReturnType<(typeof KEYS)[Name]['read']> };

export function flagOf(key: string): string {
  return `--${key.replaceAll('_', '-')}`;
}

export function variableOf(key: string): string {
  return `AGENTHUB_${key.toUpperCase()}`;
}
