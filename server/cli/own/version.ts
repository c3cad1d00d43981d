// version: prints the version of this program, or compares it with that of another executable, such as a download.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { orderOf } from '../../domain/text/version-order.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { VERSION } from '../../version.ts';
import { CommandError } from '../exit-codes.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';

/** `schema` is the version of the database that the program creates. */
type Release = { version: string; schema: number };

const TIMEOUT_MS = 10_000;

export async function version({ check, ...options }: OutputOptions & { check?: string }): Promise<void> {
  const own = {
    version: VERSION,
    schema: SCHEMA_VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
  if (check !== undefined) return compare(resolve(check), own, options);
  sayAnswer(options, own, () =>
    facts([
      ['agenthub', own.version],
      ['schema', own.schema],
      ['node', own.node],
      ['platform', own.platform],
    ]),
  );
}

function compare(file: string, own: Release, options: OutputOptions): void {
  const other = releaseIn(file);
  const order = orderOf(other.version, own.version);
  sayAnswer(options, { file, order, version: other.version, schema: other.schema, present: own }, () =>
    [
      order === 'same'
        ? `${file} is the same version as this program, ${own.version}`
        : `${file} is version ${other.version}, ${order} than this program, ${own.version}`,
      schemaLine(own.schema, other.schema),
    ].join('\n'),
  );
}

const Printed = v.object({ version: v.string(), schema: v.number() });

/** Runs `FILE version`, without the environment of this program, which may contain tokens. */
function releaseIn(file: string): Release {
  if (PACKED.test(file))
    throw new CommandError(`${file} is a package; unpack it, and name the executable agenthub that it contains`);
  const { stdout, error, status } = spawnSync(file, ['version', '-o', 'json'], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error !== undefined && 'code' in error)
    throw new CommandError(`cannot run ${file}: ${REASONS[String(error.code)] ?? String(error.code)}`);
  const printed = v.safeParse(Printed, parsed(stdout));
  if (status !== 0 || !printed.success) throw new CommandError(`${file} is not an agenthub that can be compared`);
  return printed.output;
}

const PACKED = /\.(?:deb|tar|t?gz|zip)$/;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'it is not executable; run chmod +x on it',
  ENOENT: 'there is no such file',
  ENOEXEC: 'it is no program for this system',
  ETIMEDOUT: `it did not end within ${TIMEOUT_MS / 1_000} s`,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function schemaLine(own: number, other: number): string {
  if (own === other) return `both use database schema ${own}, so either can open the database of the other`;
  return other > own
    ? `its first start upgrades a database from schema ${own} to ${other}, and keeps a copy for a return to this version`
    : `it uses database schema ${other} and refuses a database of this program, which has schema ${own}`;
}
