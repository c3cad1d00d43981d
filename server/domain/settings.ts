// The settings of a hub, set by flags, the environment and the configuration file; see server/config.
import type { Quotas } from './quotas.ts';

export type Settings = Quotas & {
  offline_after_seconds: number;
  heartbeat_seconds: number;
  sweep_seconds: number;
  trial_days: number;
  trust_proxy: number;
  host: string;
  /** The file of the TLS certificate; without one, the hub serves plain HTTP. */
  tls_cert: string | undefined;
  /** Accepted Host names, and origins whose pages may send requests, in addition to those of this machine. */
  allowed_hosts: readonly string[];
  allowed_origins: readonly string[];
  /** The public URL of the hub: an origin without a trailing slash. */
  public_url: string | undefined;
  /** Whether the first registration needs the setup token, even on a hub that only this machine can reach. */
  require_setup_token: boolean;
  registration: 'open' | 'invite' | 'closed';
  /** Access to /metrics: loopback and the token, the token only, or off. */
  metrics: 'loopback' | 'token' | 'off';
  metrics_token: string | undefined;
  /** Addresses that notifiers may use: public ones, or all. */
  notifier_addresses: 'public' | 'all';
  backup_schedule: string;
  /** Retention periods of settled records; 0 days means forever. */
  keep_events_hours: number;
  keep_messages_days: number;
  keep_tasks_days: number;
  keep_audit_days: number;
};
