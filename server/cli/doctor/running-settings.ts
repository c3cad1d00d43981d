// Compares the configuration that doctor reads with the one that the running hub was started with: doctor does not see
// the flags and the environment file of a service, and the hub does not see what was changed since its start.
import { isDeepStrictEqual } from 'node:util';
import type { Effective } from '../../config/config.ts';
import { type Config, isKeyName, type KeyName } from '../../config/keys.ts';
import { withoutSecrets } from '../../config/without-secrets.ts';
import { type Finding, warn } from '../../domain/health/finding.ts';
import { UNIT_SETTINGS } from '../systemd-unit.ts';

/**
 * `config` with the values of the hub, and a warning that names the keys that differ. What the unit of `systemd print`
 * sets is no difference, unless this configuration sets it, too.
 */
export function settingsOfHub(
  { config, origins }: Effective,
  running: Readonly<Record<string, unknown>>,
): { config: Config; findings: Finding[] } {
  const read = withoutSecrets(config);
  const differing = Object.keys(running).filter(
    (name) => isKeyName(name) && isCompared(name) && !isDeepStrictEqual(running[name], read[name]),
  );
  if (differing.length === 0) return { config, findings: [] };
  const unexpected = differing.filter(
    (name) => !(origins[name]?.source === 'default' && isOfUnit(name) && running[name] === UNIT_SETTINGS[name]),
  );
  // Each value is one that the hub has read by the rule of its key; JSON has no undefined.
  const ofHub = Object.fromEntries(differing.map((name) => [name, running[name] ?? undefined])) as Partial<Config>;
  return { config: { ...config, ...ofHub }, findings: unexpected.length === 0 ? [] : [describe(unexpected)] };
}

/** Which directory, and which first user, are settled; a reload changes the log level. */
const IGNORED: readonly KeyName[] = ['data', 'admin_username', 'port_file', 'log_level', 'log_format'];

function isCompared(name: KeyName): boolean {
  return !IGNORED.includes(name);
}

function isOfUnit(name: string): name is keyof typeof UNIT_SETTINGS {
  return name in UNIT_SETTINGS;
}

function describe(keys: readonly string[]): Finding {
  return warn(
    'running settings',
    `the hub was started with other values of ${keys.join(', ')} than doctor reads here; doctor checks those of the hub`,
    'if they were changed since the start, restart the hub; otherwise run doctor with the flags and the environment of the hub',
  );
}
