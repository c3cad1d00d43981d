// The settings of a hub. Flags, the environment and the configuration file set them; see server/config.
import type { Quotas } from './quotas.ts';

export type Settings = Quotas & {
  offline_after_seconds: number;
  heartbeat_seconds: number;
  sweep_seconds: number;
  trial_days: number;
  trust_proxy: number;
  host: string;
  /** Names accepted in Host, and origins whose pages may call, in addition to those of this machine. */
  allowed_hosts: readonly string[];
  allowed_origins: readonly string[];
  /** Where others reach the hub: an origin without a trailing slash. */
  public_url: string | undefined;
  registration: 'open' | 'invite' | 'closed';
  /** Who may read /metrics: this machine and holders of the token, holders of the token, or nobody. */
  metrics: 'loopback' | 'token' | 'off';
  metrics_token: string | undefined;
  /** How long records are kept once they are settled; 0 days means forever. */
  keep_events_hours: number;
  keep_messages_days: number;
  keep_tasks_days: number;
  keep_audit_days: number;
};
