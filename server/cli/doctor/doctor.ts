// doctor: checks everything a hub depends on, running or stopped, and suggests a fix for each problem. Without
// --repair, it changes nothing.
import { ConfigError, type Effective } from '../../config/config.ts';
import type { Config } from '../../config/keys.ts';
import { type Finding, fail, ok, warn } from '../../domain/health/finding.ts';
import { transportFindings } from '../../domain/health/findings.ts';
import { TROUBLE_KINDS } from '../../domain/health/troubles.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { type BegunCheckup, beginCheckup } from '../../operations/operator/begin-checkup.ts';
import { missingUrl } from '../../serve/on-postgres.ts';
import { askThroughSocket } from '../data/operator-client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { effectiveConfig, type GivenOptions } from '../key-options.ts';
import { type OutputOptions, say, sayJson, styled } from '../output.ts';
import { checkBackups } from './backups.ts';
import { assertDirectoryOf, writeBundle } from './bundle.ts';
import { checkCertificate } from './certificate.ts';
import { checkIsHubs, checkIsWritable } from './data-directory.ts';
import { checkDatabase, checkLock } from './database.ts';
import { checkFiles } from './files.ts';
import { checkDisk, checkOpenFiles } from './machine.ts';
import { unreadableConfiguration } from './owner-access.ts';
import { checkAnswer, checkFree, restarted } from './port.ts';
import { checkPostgres } from './postgres.ts';
import { openProgress } from './progress.ts';
import { checkOwnStream, checkPublicUrl } from './public-path.ts';
import { repairCounters } from './repair-counters.ts';
import { settingsOfHub } from './running-settings.ts';

type Checkup = { ok: boolean; checks: readonly Finding[] };

type DoctorOptions = OutputOptions & { repair?: true; bundle?: string };

export async function doctor({ output, repair, bundle, ...flags }: GivenOptions & DoctorOptions): Promise<void> {
  if (bundle !== undefined) assertDirectoryOf(bundle);
  if (repair) return repairCounters(effectiveConfig(flags).config, { output });
  const checks: Finding[] = [];
  for await (const finding of examine(flags)) {
    checks.push(finding);
    if (output === 'table') say(describe(finding));
  }
  const isHealthy = checks.every(({ level }) => level !== 'fail');
  if (output === 'json') sayJson({ ok: isHealthy, checks } satisfies Checkup);
  if (bundle !== undefined) await writeBundle(bundle, flags, checks);
  process.exitCode = isHealthy ? EXIT.ok : EXIT.failed;
}

/** A hub that does not respond for this long hangs. */
const RESPONSE_MS = 10 * SECOND_MS;

/** Yields each finding as soon as it is known: reading a large database takes minutes. */
async function* examine(flags: GivenOptions): AsyncGenerator<Finding> {
  try {
    const effective = effectiveConfig(flags);
    yield* checkConfiguration(effective);
    const { data } = effective.config;
    const unusable = checkIsHubs(data) ?? checkIsWritable(data);
    if (unusable === undefined) yield* checkHub(effective);
    else yield unusable;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems)
      yield fail('configuration', problem, 'correct it and run doctor again: nothing else was checked');
    for (const warning of error.warnings) yield warn('configuration', warning, 'correct it');
  }
}

function checkConfiguration({ config, file, warnings }: Effective): Finding[] {
  const findings = [
    ...unreadableConfiguration(config.data).map(({ says, remedy }) => fail('configuration', says, remedy)),
    ...warnings.map((warning) => warn('configuration', warning, 'correct it')),
  ];
  return findings.length > 0 ? findings : [ok('configuration', `flags, environment and ${file} are valid`)];
}

/** Returns the checkup of a running hub, or a finding if the hub refuses this user. Empty if no hub is running. */
async function askHub(
  begin: () => Promise<BegunCheckup | undefined>,
): Promise<{ running?: BegunCheckup; refused?: Finding }> {
  try {
    const running = await begin();
    return running === undefined ? {} : { running };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const remedy =
      error.exitCode === EXIT.denied
        ? 'run this as the same user as the hub'
        : 'check its log, and restart it if it hangs';
    return { refused: fail('operator', error.message, remedy) };
  }
}

async function* checkHub(read: Effective): AsyncGenerator<Finding> {
  const { data } = read.config;
  const begin = (): Promise<BegunCheckup | undefined> =>
    askThroughSocket<BegunCheckup>(data, { operation: beginCheckup.name, input: {} }, AbortSignal.timeout(RESPONSE_MS));
  const { running, refused } = await askHub(begin);
  if (refused !== undefined) yield refused;
  const { config, findings } = settingsOfHub(read, running?.configuration ?? {});
  yield* findings;
  yield* checkFiles(data);
  yield await checkLock(data, running !== undefined);
  const isOnPostgres = config.database !== undefined || running?.is_on_postgres === true;
  const problem = isOnPostgres ? undefined : missingUrl(data);
  if (!isOnPostgres && problem === undefined) yield checkBackups(config);
  yield checkDisk(data);
  yield* checkOpenFiles(running?.diagnostics?.descriptors);
  yield* transportFindings(config);
  const ofFiles = checkCertificate(config);
  yield* ofFiles;
  yield* checkTroubles(running);
  yield* checkServed(running, ofFiles);
  yield* running === undefined ? await checkStopped(config, refused !== undefined) : await checkRunning(begin);
  if (problem !== undefined) yield fail('database', problem.says, problem.remedy);
  else if (isOnPostgres) yield* await checkPostgres(config.database, data);
  else yield* checkDatabase(data, openProgress(), running !== undefined); // takes longest
}

/** What the hub has noticed itself. */
function checkTroubles(running: BegunCheckup | undefined): Finding[] {
  const kinds: readonly string[] = [...TROUBLE_KINDS, 'program', 'settings'];
  return (running?.diagnostics?.findings ?? []).filter(({ check, level }) => kinds.includes(check) && level !== 'ok');
}

/** A hub serves an older certificate than that in its files until SIGHUP, and if the new one is unusable. */
function checkServed(running: BegunCheckup | undefined, ofFiles: readonly Finding[]): Finding[] {
  const isUsable = ofFiles.every(({ level }) => level !== 'fail');
  return (running?.diagnostics?.findings ?? [])
    .filter(({ check, level }) => check === 'certificate' && !(level === 'ok' && isUsable))
    .filter(({ says }) => !ofFiles.some((other) => other.says === says))
    .map((finding) => ({ ...finding, says: `the hub still serves the one from before: ${finding.says}` }));
}

async function checkStopped(config: Config, isRunning: boolean): Promise<Finding[]> {
  if (isRunning) return [];
  return [
    await checkFree(config),
    warn(
      'stream',
      'no hub is running on this data directory: cannot check streams and proxies',
      'start the hub and run doctor again',
    ),
  ];
}

/** Each code is good for one stream, within a minute. */
async function checkRunning(begin: () => Promise<BegunCheckup | undefined>): Promise<Finding[]> {
  const [first, second] = [await begin(), await begin()];
  if (first === undefined) return [STOPPED];
  if (first.url === null) return [];
  const { url, code, is_open_to_others: isOpen, public_url, trust_proxy } = first;
  const checks = await Promise.all([
    checkAnswer(url),
    checkOwnStream(url, code),
    public_url === null ? noPublicUrl(isOpen) : checkPublicUrl(public_url, second?.code ?? '', trust_proxy),
  ]);
  const findings = checks.flat();
  return findings.some(({ level }) => level === 'fail') && (await hasStopped(begin)) ? [STOPPED] : findings;
}

const STOPPED = restarted('has stopped');

/** Whether the hub has stopped or is stopping. One that hangs keeps its socket. */
async function hasStopped(begin: () => Promise<BegunCheckup | undefined>): Promise<boolean> {
  try {
    return (await begin()) === undefined;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

function noPublicUrl(isOpenToOthers: boolean): Finding {
  return isOpenToOthers
    ? warn(
        'public url',
        'not set: links and instructions use the address of each request',
        'set public_url, such as https://hub.example.org',
      )
    : ok('public url', 'not set: only this machine can reach the hub');
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** The widest name of a check. */
const WIDTH = 'event_loop_stalled'.length;

function describe({ check, level, says, remedy }: Finding): string {
  const line = `${styled(COLORS[level], level.padEnd(4))}  ${check.padEnd(WIDTH)}  ${oneLine(says)}`;
  return remedy === undefined ? line : `${line}\n${' '.repeat(WIDTH + 8)}→ ${oneLine(remedy)}`;
}
