// What the other hubs on the database are set to. A request reaches any of them, so all should have the same settings.
import { QUOTAS, type Quotas } from '../domain/quotas.ts';
import type { Settings } from '../domain/settings.ts';
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import type { Exchange } from './exchange.ts';

/** Values are as people write them. */
export type Difference = { key: string; here: string; there: string };

export type OtherSettings = {
  /** Tells the other hubs the settings of this one, which they forget after three minutes. */
  tell(hubName: string, settings: Settings, now: Millis): void;
  /** The hubs whose settings differ from these. Keys that only one version knows do not count. */
  list(settings: Settings, now: Millis): [hubName: string, differences: Difference[]][];
  /** `act` is called when another hub has told its settings. */
  onTold(act: () => void): void;
};

const KNOWN_MS = 3 * MINUTE_MS;

/** Not those of a machine, of a file, or that are secret. */
const ALIKE: readonly (keyof Settings)[] = [
  ...(['public_url', 'allowed_hosts', 'allowed_origins', 'trust_proxy', 'registration', 'trial_days'] as const),
  ...(['offline_after_seconds', 'heartbeat_seconds', 'sweep_seconds', 'require_setup_token'] as const),
  ...(['metrics', 'notifier_addresses'] as const),
  ...(['keep_events_hours', 'keep_messages_days', 'keep_tasks_days', 'keep_audit_days'] as const),
  ...(Object.keys(QUOTAS) as (keyof Quotas)[]),
];

type Written = Record<string, string>;

export function openOtherSettings(exchange: Exchange): OtherSettings {
  const others = new Map<string, { written: Written; at: Millis }>();
  let told = (): void => {};
  const tell = exchange.share('settings', (hubName: string, written: string, at: Millis) => {
    others.set(hubName, { written: JSON.parse(written), at });
    told();
  });
  return {
    tell: (hubName, settings, now) => tell(hubName, JSON.stringify(written(settings)), now),
    list: (settings, now) => {
      const own = written(settings);
      for (const [hubName, { at }] of others) if (now - at > KNOWN_MS) others.delete(hubName);
      return [...others]
        .map(([hubName, other]): [string, Difference[]] => [hubName, differences(own, other.written)])
        .filter(([, found]) => found.length > 0);
    },
    onTold: (act) => void (told = act),
  };
}

function written(settings: Settings): Written {
  return Object.fromEntries(ALIKE.map((key) => [key, String(settings[key] ?? 'unset')]));
}

function differences(own: Written, other: Written): Difference[] {
  return Object.entries(own).flatMap(([key, here]) => {
    const there = other[key];
    return there === undefined || there === here ? [] : [{ key, here, there }];
  });
}
