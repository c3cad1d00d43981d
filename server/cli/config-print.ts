// config print: shows every key with its value and the source of the value. Values of secrets are hidden.
import type { Effective } from '../config/config.ts';
import { KEY_NAMES, KEYS, type Key, type KeyName } from '../config/keys.ts';
import { effectiveConfig, type GivenOptions } from './key-options.ts';
import { note, type OutputOptions, sayAnswer, table } from './output.ts';

const HIDDEN = '(hidden)';

type Setting = { value: string | number | boolean | readonly string[] | null; source: string; spelling: string };
type Printed = { file: string; settings: Record<string, Setting> };

export async function configPrint({ output, ...flags }: GivenOptions & OutputOptions): Promise<void> {
  const { warnings, ...printed } = printedConfig(flags);
  warnings.forEach(note);
  sayAnswer({ output }, printed, describe);
}

export function printedConfig(flags: GivenOptions): Printed & Pick<Effective, 'warnings'> {
  const effective = effectiveConfig(flags);
  const settings = Object.fromEntries(KEY_NAMES.map((name) => [name, settingOf(name, effective)]));
  return { file: effective.file, settings, warnings: effective.warnings };
}

function settingOf(name: KeyName, { config, origins }: Effective): Setting {
  const key: Key = KEYS[name];
  const value = config[name] ?? null;
  const { source, spelling } = origins[name] ?? { source: 'default', spelling: name };
  return { value: key.isSecret && value !== null ? HIDDEN : value, source, spelling };
}

function describe({ settings }: Printed): string {
  const rows = Object.entries(settings).map(([name, { value, source, spelling }]) => [
    name,
    shownValue(value),
    source === 'default' ? source : spelling,
  ]);
  return table(['key', 'value', 'from'], rows);
}

function shownValue(value: Setting['value']): string | number | null {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' || typeof value === 'number' || value === null ? value : value.join(',') || null;
}
