// The fixture of the worker tests: a hub, a command line, and a worker named builder. Commands that must run until an
// event wait on a pipe, which the test opens.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type McpClient, mcpClient } from '../../support/http/mcp-client.ts';
import { type JsonObject, objectOf, textOf } from '../../support/json.ts';
import { type AgentCli, type Cli, cliFor, type Running, start } from '../../support/process/command-line.ts';
import type { Target } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import type { RunningHub } from '../../support/process/running-hub.ts';

export type Fixture = { hub: RunningHub; cli: AgentCli; agent: McpClient };

export async function startFixture(target: Target): Promise<Fixture> {
  const { hub, ...account } = await hubOfAda({ target });
  const cli = cliFor(hub, target, account);
  return { hub, cli, agent: mcpClient(hub.url, cli.account.networkToken) };
}

/** Starts a worker for `builder` that runs a shell command, and waits until it takes tasks. */
export async function startWorker(cli: Cli, line: string, options: readonly string[] = []): Promise<Running> {
  const worker = start(cli, [
    'work',
    '--alias',
    'builder',
    '--grace',
    '0.3',
    '--report-every',
    '0.1',
    ...options,
    '--',
    'sh',
    '-c',
    line,
  ]);
  await worker.printed('builder is waiting for tasks');
  return worker;
}

export async function send({ agent }: Fixture, task: string, more: object = {}): Promise<string> {
  return textOf(await agent.call('send_task', { alias: 'builder', task, from_session: 'alice', ...more }), 'task_id');
}

export async function taskOf({ agent }: Fixture, taskId: string): Promise<JsonObject> {
  return objectOf(await agent.call('get_task', { task_id: taskId }), 'task');
}

export async function sessionOf({ agent }: Fixture): Promise<JsonObject> {
  return objectOf(await agent.call('get_session_status', { alias: 'builder' }), 'session');
}

export const settled = async (fixture: Fixture, taskId: string, expected: object): Promise<void> => {
  await expect.poll(() => taskOf(fixture, taskId)).toMatchObject(expected);
};

/** A pipe that blocks its reader until it is opened. Opening it waits for the reader. */
export function gate(cli: Cli): { path: string; open(): Promise<void> } {
  const path = join(cli.home, 'gate');
  spawnSync('mkfifo', [path]);
  const open = async (): Promise<void> => {
    const writer = spawn('sh', ['-c', `echo go > ${path}`]);
    onTestFinished(() => void writer.kill('SIGKILL'));
    await once(writer, 'exit');
  };
  return { path, open };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The process ids that a command wrote to `pids`. */
export function pidsAt(cli: Cli): number[] {
  const file = join(cli.home, 'pids');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map(Number)
    : [];
}
