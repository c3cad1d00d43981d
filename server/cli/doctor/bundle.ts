// doctor --bundle: writes a support bundle, a JSON file that a person can read before sending it: versions, the
// configuration without secrets, the findings, and, of a running hub, its diagnostics, counters and last log lines. It
// contains no texts of agents, no names of networks or users, and no tokens.
import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../../config/config.ts';
import type { Finding } from '../../domain/health/finding.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { timestamp } from '../../domain/time/time.ts';
import { supportFacts } from '../../operations/operator/support-facts.ts';
import { VERSION } from '../../version.ts';
import { printedConfig } from '../config-print.ts';
import { askThroughSocket } from '../data/operator-client.ts';
import { CommandError } from '../exit-codes.ts';
import { dataDirectoryOf, type GivenOptions } from '../key-options.ts';
import { note } from '../output.ts';

/** Before the checks, which can take minutes. */
export function assertDirectoryOf(file: string): void {
  const directory = dirname(resolve(file));
  if (!existsSync(directory)) throw new CommandError(`the directory ${directory} does not exist; create it first`);
}

export async function writeBundle(file: string, flags: GivenOptions, findings: readonly Finding[]): Promise<void> {
  const bundle = {
    created_at: timestamp(systemClock.now()),
    program: { version: VERSION, node: process.versions.node, platform: `${process.platform}-${process.arch}` },
    machine: machineFacts(),
    configuration: configurationOf(flags),
    findings,
    hub: await factsOfHub(dataDirectoryOf(flags)),
  };
  write(file, `${JSON.stringify(bundle, null, 2)}\n`);
  note(
    `wrote the support bundle ${file}; it has no secrets, but names hosts and addresses: read it before you send it`,
  );
}

function machineFacts(): object {
  const limit = process.constrainedMemory();
  return {
    kernel: release(),
    processors: cpus().length,
    memory_bytes: totalmem(),
    memory_limit_bytes: limit > 0 && limit < totalmem() ? limit : null,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function configurationOf(flags: GivenOptions): object {
  try {
    return printedConfig(flags);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems };
  }
}

/** Null if no hub is running; its error if it refuses this user. */
async function factsOfHub(data: string): Promise<object | null> {
  try {
    return (await askThroughSocket<object>(data, { operation: supportFacts.name, input: {} })) ?? null;
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'unknown reason' };
  }
}

function write(file: string, text: string): void {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new CommandError(`${file} exists; choose another name for the bundle`);
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, text);
    closeSync(descriptor);
  } catch (error) {
    throw new CommandError(`cannot write ${file} (${error instanceof Error && 'code' in error ? error.code : error})`);
  }
}
