// Does what an operator asks of the hub in a data directory: through the hub that runs there, so that its memory is never
// behind, or else on the database itself, under the lock that `serve` takes. Commands do not see which.
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/keys.ts';
import { HubError } from '../domain/errors.ts';
import { openHub } from '../hub.ts';
import { BCRYPT_COST, openPasswords } from '../native/passwords.ts';
import { performAsOperator, type AnyOperatorOperation } from '../operations/operator/operator-operation.ts';
import { AlreadyRunning } from '../store/lock.ts';
import { VERSION } from '../version.ts';
import { openDataDirectory, type DataDirectory } from './data-directory.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { effectiveConfig } from './key-options.ts';
import { socketPath } from './operator-socket.ts';

export type DataOptions = { data?: string };

/** Throws a CommandError with what the hub refused. */
export async function asOperator<Result extends object>(options: DataOptions, operation: AnyOperatorOperation<Result>, input: object): Promise<Result> {
  const config = configOf(options);
  assertHolds(config.data);
  try {
    return await untilReached(config.data, {
      running: () => throughHub<Result>(config.data, operation.name, input),
      stopped: (directory) => directly(config, directory, operation, input),
    });
  } catch (error) {
    throw error instanceof HubError ? new CommandError(error.message) : error;
  }
}

export function configOf({ data }: DataOptions): Config {
  return effectiveConfig(data === undefined ? {} : { data }).config;
}

// A mistyped directory would otherwise become an empty hub.
export function assertHolds(data: string): void {
  if (!existsSync(join(data, 'agenthub.db'))) throw new CommandError(`there is no hub in ${data}; name its data directory with --data`);
}

type Ways<Result> = {
  /** Undefined when nobody answers there. */
  running: () => Promise<Result | undefined>;
  stopped: (directory: DataDirectory) => Promise<Result>;
};

const PATIENCE_TRIES = 50;
const TRY_EVERY_MS = 100;

/** A hub that is just starting or ending holds the lock and does not answer: it is waited for. */
async function untilReached<Result>(data: string, { running, stopped }: Ways<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const answer = await running();
    if (answer !== undefined) return answer;
    const directory = await openIfStopped(data, tries === PATIENCE_TRIES);
    if (directory !== undefined) return stopped(directory);
    await sleep(TRY_EVERY_MS);
  }
}

async function openIfStopped(data: string, isLastTry: boolean): Promise<DataDirectory | undefined> {
  try {
    return await openDataDirectory(data);
  } catch (error) {
    if (!(error instanceof AlreadyRunning) || isLastTry) throw error;
    return undefined;
  }
}

async function directly<Result extends object>(config: Config, directory: DataDirectory, operation: AnyOperatorOperation<Result>, input: object): Promise<Result> {
  const passwords = openPasswords({ cost: BCRYPT_COST });
  const hub = await openHub({
    version: VERSION, settings: config, databaseFile: directory.databaseFile, setupToken: undefined, passwords, log: SILENT,
    onFatal: (error) => { throw error; },
  });
  try {
    return await performAsOperator(operation, hub, input);
  } finally {
    await hub.store.close();
    await passwords.close();
    directory.lock.release();
  }
}

const SILENT = { isLevelEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const NOBODY_THERE: readonly unknown[] = ['ENOENT', 'ECONNREFUSED'];

/** What the hub that runs there answers; undefined when nobody does. */
export function throughHub<Result extends object>(data: string, operation: string, input: object): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: socketPath(data), method: 'POST', path: '/', headers: { 'Content-Type': 'application/json' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('error', reject);
      response.on('end', () => settle(response.statusCode ?? 0, text, resolve, reject));
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY_THERE.includes(error.code)) return resolve(undefined);
      reject(new CommandError(`cannot ask the hub that runs on ${data} (${error.code ?? error.message}); be the user it runs as, or stop it first`, EXIT.denied));
    });
    asked.end(JSON.stringify({ operation, input }));
  });
}

function settle<Result>(status: number, text: string, resolve: (answer: Result) => void, reject: (error: Error) => void): void {
  const answer = JSON.parse(text);
  if (status === 200) resolve(answer);
  else reject(new HubError(String(answer.error), String(answer.message)));
}
