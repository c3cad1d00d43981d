// The only reader of flags, environment and configuration file. A key has three spellings: `offline_after_seconds` in
// agenthub.json of the data directory, `--offline-after-seconds` on the command line, AGENTHUB_OFFLINE_AFTER_SECONDS in the
// environment; the flag wins, then the environment, then the file, then the default.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from './domain/errors.ts';
import { HEARTBEAT_SECONDS, OFFLINE_AFTER_SECONDS, SWEEP_SECONDS } from './domain/limits.ts';
import type { Settings } from './hub.ts';

export type Config = Settings & {
  port: number;
  /** The data directory, absolute. */
  data: string;
  log_level: string;
};

export type Key = { fallback: string; about: string; placeholder: string; read: (text: string) => string | number | readonly string[]; alias?: string };

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'];

/** Every key with its default, its meaning and its rule, in the order of `--help`. */
export const KEYS = {
  host: { fallback: '127.0.0.1', about: 'address to listen on', placeholder: 'address', read: nonEmpty },
  port: { fallback: '4747', about: 'port to listen on; 0 takes a free one', placeholder: 'number', read: wholeNumber(0, 65_535) },
  data: { fallback: './agenthub-data', about: 'data directory', placeholder: 'directory', read: (text) => resolve(nonEmpty(text)) },
  offline_after_seconds: {
    fallback: String(OFFLINE_AFTER_SECONDS), about: 'silence that makes an agent offline', placeholder: 'seconds', read: wholeNumber(1, 86_400),
  },
  heartbeat_seconds: {
    fallback: String(HEARTBEAT_SECONDS), about: 'time between heartbeats on an event stream', placeholder: 'seconds', read: wholeNumber(1, 3_600),
  },
  sweep_seconds: {
    fallback: String(SWEEP_SECONDS), about: 'time between sweeps', placeholder: 'seconds', read: wholeNumber(1, 59),
  },
  trial_days: { fallback: '0', about: 'trial period of a new network; 0 for none', placeholder: 'days', read: numberFrom(0, 36_500) },
  trust_proxy: { fallback: '0', about: 'number of reverse proxies in front', placeholder: 'count', read: wholeNumber(0, 10) },
  allowed_hosts: {
    fallback: '', about: 'names the hub is reached by, comma-separated; localhost always is one', placeholder: 'names', read: list, alias: '--allowed-host',
  },
  allowed_origins: {
    fallback: '', about: 'origins whose pages may call, comma-separated', placeholder: 'origins', read: list, alias: '--allowed-origin',
  },
  log_level: { fallback: 'info', about: `least level to log: ${LOG_LEVELS.join(', ')}`, placeholder: 'level', read: oneOf(LOG_LEVELS) },
} as const satisfies Record<keyof Config, Key>;

export type KeyName = keyof typeof KEYS;

export function flagOf(key: string): string {
  return `--${key.replaceAll('_', '-')}`;
}

export function variableOf(key: string): string {
  return `AGENTHUB_${key.toUpperCase()}`;
}

type Sources = { flags: Readonly<Partial<Record<string, string>>>; env: Readonly<Partial<Record<string, string>>> };

/** Throws a StartError that names the key as it was spelled, its value and its rule. */
export function readConfig({ flags, env }: Sources): Config {
  let file: Readonly<Record<string, string>> = {};
  const value = <Name extends KeyName>(name: Name): ReturnType<(typeof KEYS)[Name]['read']> => {
    const given: [spelling: string, text: string | undefined][] = [
      [flagOf(name), flags[name]],
      [variableOf(name), env[variableOf(name)]],
      [`${name} in ${FILE}`, file[name]],
      [name, KEYS[name].fallback],
    ];
    const [spelling, text = ''] = given.find(([, candidate]) => candidate !== undefined) ?? [name, ''];
    return checked(spelling, text, KEYS[name].read) as ReturnType<(typeof KEYS)[Name]['read']>;
  };
  const data = value('data');
  file = readFile(join(data, FILE));
  return {
    host: value('host'),
    port: value('port'),
    data,
    offline_after_seconds: value('offline_after_seconds'),
    heartbeat_seconds: value('heartbeat_seconds'),
    sweep_seconds: value('sweep_seconds'),
    trial_days: value('trial_days'),
    trust_proxy: value('trust_proxy'),
    allowed_hosts: value('allowed_hosts'),
    allowed_origins: value('allowed_origins'),
    log_level: value('log_level'),
  };
}

const FILE = 'agenthub.json';

/** The keys of the file as text, lists joined by commas, so that they are read as flags are. */
function readFile(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const entries = Object.entries(parsed(path));
  for (const [key] of entries) if (!Object.hasOwn(KEYS, key) || key === 'data') throw new StartError(`${path} has ${key}, which is no key it takes; agenthub serve --help lists them`);
  return Object.fromEntries(entries.map(([key, value]) => [key, Array.isArray(value) ? value.join(',') : String(value)]));
}

function parsed(path: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new StartError(`${path} must hold one JSON object, such as {"port": 8080}`);
}

function checked(spelling: string, text: string, read: Key['read']): ReturnType<Key['read']> {
  try {
    return read(text);
  } catch (error) {
    throw error instanceof RangeError ? new StartError(`${spelling} is "${text}" but must be ${error.message}`) : error;
  }
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new RangeError('a path or name, not empty');
  return text;
}

function list(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim().replace(/\/$/, '').toLowerCase()).filter((item) => item !== '');
}

function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max)) throw new RangeError(`a number from ${min} to ${max}`);
    return value;
  };
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max) throw new RangeError(`a whole number from ${min} to ${max}`);
    return Number(text);
  };
}

function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (!words.includes(text)) throw new RangeError(`one of ${words.join(', ')}`);
    return text;
  };
}
