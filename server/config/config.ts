// Reads the configuration from flags, environment and file. A key has three spellings: `offline_after_seconds` in
// agenthub.json in the data directory, `--offline-after-seconds` on the command line, and
// AGENTHUB_OFFLINE_AFTER_SECONDS in the environment. Flags take precedence over the environment, then the file, then
// the default.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { DATABASE } from '../domain/files/data-files.ts';
import { nearest } from '../domain/text/nearest.ts';
import { CROSS_KEY_RULES } from './cross-key-rules.ts';
import { type ConfigFile, FILE, readConfigFile, readSecret, reasonOf } from './file.ts';
import {
  type Config,
  DEPENDENT_DEFAULTS,
  flagOf,
  isKeyName,
  KEY_NAMES,
  KEYS,
  type Key,
  type KeyName,
  variableOf,
} from './keys.ts';

type Texts = Readonly<Partial<Record<string, string>>>;
export type Sources = { flags: Texts; env: Texts };

/** The source of a value; `spelling` is the key as written there, such as `--port`. */
export type Origin = { source: 'flag' | 'environment' | 'file' | 'default'; spelling: string };

export type Effective = {
  config: Config;
  origins: Readonly<Record<string, Origin>>;
  /** The path of the configuration file, whether or not it exists. */
  file: string;
  warnings: readonly string[];
};

/** All that can be said about a configuration, valid or not. `config` has only the valid values. */
export type Examined = Omit<Effective, 'config'> & { config: Partial<Config>; problems: readonly string[] };

/** The configuration is invalid. `problems` has one line per problem; the first is also the message. */
export class ConfigError extends StartError {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  constructor([first, ...others]: readonly [string, ...string[]], warnings: readonly string[] = []) {
    super(first);
    this.problems = [first, ...others];
    this.warnings = warnings;
  }
}

/** Throws a ConfigError that includes the key as written, its value and its rule. */
export function readConfig(sources: Sources): Config {
  return readEffective(sources).config;
}

/** Reads only the data directory, regardless of other keys. Throws as readConfig does. */
export function readDataDirectory(sources: Sources): string {
  const { value, problem } = reading('data', sources);
  if (problem !== undefined) throw new ConfigError([problem]);
  return String(value);
}

/** The configuration, the origin of each value, and warnings. Throws as readConfig does. */
export function readEffective(sources: Sources): Effective {
  const { config, problems, ...rest } = examine(sources);
  const [first, ...others] = problems;
  if (first !== undefined) throw new ConfigError([first, ...others], rest.warnings);
  // Without a problem, each value is the result of the rule of its key.
  return { ...rest, config: withDependentDefaults(config as Config, rest.origins) };
}

/** Finds all problems and warnings at once, and throws nothing. */
export function examine(sources: Sources): Examined {
  const { value: directory } = reading('data', sources);
  const file = typeof directory === 'string' ? readFile(directory) : undefined;
  const given = KEY_NAMES.map((name) => reading(name, sources, file));
  const { readings, warning } = withoutUsedPassword(given, directory);
  const isValid = ({ name, problem }: Reading): boolean => problem === undefined && !file?.invalid.includes(name);
  const valid = readings.filter(isValid);
  // Each value is the result of the rule of its key.
  const config = Object.fromEntries(valid.map(({ name, value }) => [name, value])) as Partial<Config>;
  return {
    config,
    problems: [
      ...(file?.problems ?? []),
      ...readings.flatMap(({ problem }) => problem ?? []),
      ...brokenRules(config, file?.isUnreadable === true ? readings.filter(isDefault).map(({ name }) => name) : []),
    ],
    origins: Object.fromEntries(readings.map(({ name, origin }) => [name, origin])),
    file: file?.path ?? FILE,
    warnings: [
      ...(file?.warnings ?? []),
      ...(warning === undefined ? [] : [warning]),
      ...unknownVariables(sources.env),
    ],
  };
}

const isDefault = ({ origin }: Reading): boolean => origin.source === 'default';

/** The rules whose keys are all valid and known. An unreadable file may set each key that has its default. */
function brokenRules(config: Partial<Config>, unknown: readonly KeyName[]): string[] {
  return CROSS_KEY_RULES.filter(
    ({ keys, isValid }) => keys.every((key) => key in config && !unknown.includes(key)) && !isValid(config as Config),
  ).map(({ problem }) => problem);
}

/** The first start creates the first user. Its password file is then no longer needed, and may have been deleted. */
function withoutUsedPassword(
  given: readonly Reading[],
  data: Reading['value'],
): { readings: readonly Reading[]; warning?: string } {
  const problem = given.find(({ name }) => name === 'admin_password')?.problem;
  if (problem === undefined || !existsSync(join(String(data), DATABASE))) return { readings: given };
  const readings = given.map(({ name, origin, ...rest }) =>
    FIRST_USER.includes(name) ? { name, origin } : { name, origin, ...rest },
  );
  return { readings, warning: `${problem}; it is not needed, because the hub has been set up` };
}

const FIRST_USER: readonly KeyName[] = ['admin_username', 'admin_password'];

function withDependentDefaults(config: Config, origins: Effective['origins']): Config {
  const applying = DEPENDENT_DEFAULTS.filter(
    ({ key, applies }) => origins[key]?.source === 'default' && applies(config),
  );
  return {
    ...config,
    ...Object.fromEntries(applying.map(({ key, text }) => [key, keyOf(key).read(text, process.cwd())])),
  };
}

// The file cannot set the data directory, because the file is in it.
function readFile(directory: string): ConfigFile {
  return readConfigFile(directory, {
    keys: KEY_NAMES.filter((name) => name !== 'data'),
    isList: (name) => isKeyName(name) && keyOf(name).isList === true,
    isSwitch: (name) => isKeyName(name) && keyOf(name).isSwitch === true,
    isSecret: (name) => isKeyName(name) && keyOf(name).isSecret === true,
  });
}

function keyOf(name: KeyName): Key {
  return KEYS[name];
}

type Reading = { name: KeyName; origin: Origin; value?: ReturnType<Key['read']>; problem?: string };

function reading(name: KeyName, sources: Sources, file?: ConfigFile): Reading {
  const { origin, text, base, problem } = given(name, sources, file);
  if (problem !== undefined) return { name, origin, problem };
  try {
    return { name, origin, value: keyOf(name).read(text, base) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const value = keyOf(name).isSecret ? '(hidden)' : `"${text}"`;
    return { name, origin, problem: `${origin.spelling} is ${value} but must be ${error.message}` };
  }
}

type Given = { origin: Origin; text: string; base: string; problem?: string };

/** The text of a key from the first source that sets it. Relative paths are resolved against the source. */
function given(name: KeyName, { flags, env }: Sources, file?: ConfigFile): Given {
  const variable = variableOf(name);
  const from = (source: Origin['source'], spelling: string, text: string, base = process.cwd()): Given => ({
    origin: { source, spelling },
    text,
    base,
  });
  const set = env[variable];
  const value = set !== undefined && isFromKubernetes(variable, set) ? undefined : set;
  const [flag, inFile] = [flags[name], file?.texts[name]];
  if (flag !== undefined) return from('flag', flagOf(name), flag);
  const secretFile = keyOf(name).isSecret ? env[`${variable}_FILE`] : undefined;
  if (secretFile !== undefined)
    return { ...from('environment', `${variable}_FILE`, ''), ...secretIn(secretFile, variable, value) };
  if (value !== undefined) return from('environment', variable, value);
  if (file !== undefined && inFile !== undefined)
    return from('file', `${name} in ${file.path}`, inFile, dirname(file.path));
  return from('default', name, keyOf(name).fallback);
}

function secretIn(path: string, variable: string, value: string | undefined): { text: string } | { problem: string } {
  if (value !== undefined) return { problem: `${variable} and ${variable}_FILE are both set; set only one` };
  try {
    const text = readSecret(path);
    return text === '' ? { problem: `${variable}_FILE names ${path}, which is empty` } : { text };
  } catch (error) {
    return { problem: `${variable}_FILE names ${path}, which cannot be read: ${reasonOf(error)}` };
  }
}

const PREFIX = 'AGENTHUB_';

/** Kubernetes sets such variables in each container for a service that is called agenthub, AGENTHUB_PORT included. */
function isFromKubernetes(variable: string, value = ''): boolean {
  return (
    (variable === variableOf('port') && /^(tcp|udp|sctp):/.test(value)) ||
    /^AGENTHUB_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(variable)
  );
}

function unknownVariables(env: Texts): string[] {
  const known = [...KEY_NAMES.flatMap(variablesOf), ...VARIABLES_OF_THE_CLIENT];
  const words = known.map((name) => name.slice(PREFIX.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && !isFromKubernetes(name))
    .map((name) => {
      if (known.includes(name.replace(/_FILE$/, '')))
        return `unknown variable ${name} is ignored; only secrets can be read from a file`;
      const near = nearest(name.slice(PREFIX.length), words);
      const help = near === undefined ? LIST_ALL : `did you mean ${PREFIX}${near}?`;
      return `unknown variable ${name} is ignored; ${help}`;
    });
}

const LIST_ALL = '`agenthub config print` lists all';

function variablesOf(name: KeyName): string[] {
  return keyOf(name).isSecret ? [variableOf(name), `${variableOf(name)}_FILE`] : [variableOf(name)];
}

const VARIABLES_OF_THE_CLIENT = [
  'URL',
  'TOKEN',
  'TOKEN_FILE',
  'CONTEXT',
  'TASK_ID',
  'TASK_FROM',
  'TASK_PRIORITY',
  'TASK_CONTEXT',
  'TASK_ATTEMPT',
].map((name) => PREFIX + name);
