// The configuration as it may be shown.
import { type Config, KEY_NAMES, KEYS, type Key, type KeyName } from './keys.ts';

/** By key, with null for an unset one. */
export function withoutSecrets(config: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(KEY_NAMES.filter(isShown).map((name) => [name, config[name] ?? null]));
}

function isShown(name: KeyName): boolean {
  const key: Key = KEYS[name];
  return key.isSecret !== true;
}
