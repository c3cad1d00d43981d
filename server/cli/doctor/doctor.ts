// doctor: checks everything a hub depends on, running or stopped, and suggests a fix for each problem. Without
// --repair, it changes nothing.
import { ConfigError, type Effective } from '../../config/config.ts';
import type { Config } from '../../config/keys.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { type BegunCheckup, beginCheckup } from '../../operations/operator/begin-checkup.ts';
import { askThroughSocket } from '../data/operator-client.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { dataDirectoryOf, effectiveConfig, type GivenOptions } from '../key-options.ts';
import { type OutputOptions, sayAnswer, styled } from '../output.ts';
import { checkBackups } from './backups.ts';
import { checkCertificate } from './certificate.ts';
import { checkDatabase, checkLock } from './database.ts';
import { checkFiles } from './files.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { checkDisk, checkOpenFiles } from './machine.ts';
import { checkAnswer, checkFree } from './port.ts';
import { checkOwnStream, checkPublicUrl } from './public-path.ts';
import { repairCounters } from './repair-counters.ts';

type Checkup = { ok: boolean; checks: readonly Finding[] };

export async function doctor({
  output,
  repair,
  ...flags
}: GivenOptions & OutputOptions & { repair?: true }): Promise<void> {
  if (repair) return repairCounters(dataDirectoryOf(flags), { output });
  const checks = await examine(flags);
  const isHealthy = checks.every(({ level }) => level !== 'fail');
  sayAnswer<Checkup>({ output }, { ok: isHealthy, checks }, describe);
  process.exitCode = isHealthy ? EXIT.ok : EXIT.failed;
}

async function examine(flags: GivenOptions): Promise<Finding[]> {
  try {
    const effective = effectiveConfig(flags);
    return [...checkConfiguration(effective), ...(await checkHub(effective.config))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) =>
      fail('configuration', problem, 'correct it; agenthub config print shows the other keys'),
    );
  }
}

function checkConfiguration({ file, warnings }: Effective): Finding[] {
  if (warnings.length === 0) return [ok('configuration', `flags, environment and ${file} are valid`)];
  return warnings.map((warning) => warn('configuration', warning, 'correct it'));
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
    return { refused: fail('operator', error.message, 'run this as the same user as the hub') };
  }
}

async function checkHub(config: Config): Promise<Finding[]> {
  const begin = (): Promise<BegunCheckup | undefined> =>
    askThroughSocket<BegunCheckup>(config.data, { operation: beginCheckup.name, input: {} });
  const { running, refused } = await askHub(begin);
  return [
    ...(refused === undefined ? [] : [refused]),
    ...checkFiles(config.data),
    await checkLock(config.data, running !== undefined),
    ...(await checkDatabase(config.data)),
    checkBackups(config),
    checkDisk(config.data),
    ...checkOpenFiles(),
    ...checkCertificate(config),
    ...(running === undefined ? await checkStopped(config, refused !== undefined) : await checkRunning(running, begin)),
  ];
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

async function checkRunning(running: BegunCheckup, begin: () => Promise<BegunCheckup | undefined>): Promise<Finding[]> {
  const { url, code, is_open_to_others: isOpen, public_url, trust_proxy } = running;
  if (url === null) return [];
  const second = await begin();
  const checks = await Promise.all([
    checkAnswer(url),
    checkOwnStream(url, code),
    public_url === null ? noPublicUrl(isOpen) : checkPublicUrl(public_url, second?.code ?? '', trust_proxy),
  ]);
  return checks.flat();
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

function describe({ checks }: Checkup): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  return checks
    .flatMap(({ check, level, says, remedy }) => {
      const line = `${styled(COLORS[level], level.padEnd(4))}  ${check.padEnd(width)}  ${oneLine(says)}`;
      return remedy === undefined ? [line] : [line, `${' '.repeat(width + 8)}→ ${oneLine(remedy)}`];
    })
    .join('\n');
}
