// A hub, a desk, and a worker called builder: what the plays about workers begin with. Commands that are to run until
// something happened wait on a pipe, which the test opens.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type McpClient, mcpClient } from '../../support/http/mcp-client.ts';
import { type JsonObject, objectOf, textOf } from '../../support/json.ts';
import { hubOfAda } from '../../support/process/hub-of-ada.ts';
import type { Target } from '../../support/process/hub-process.ts';
import type { RunningHub } from '../../support/process/running-hub.ts';
import { type AgentDesk, type Desk, deskOf, type Running, start } from '../command-line.ts';

export const PATIENT = { timeout: 15_000 };

export type Scene = { hub: RunningHub; desk: AgentDesk; agent: McpClient };

export async function scene(target: Target): Promise<Scene> {
  const { hub, ...account } = await hubOfAda({ target });
  const desk = deskOf(hub, target, account);
  return { hub, desk, agent: mcpClient(hub.url, desk.account.networkToken) };
}

/** A worker for `builder` whose command is a line of shell, once it takes tasks. */
export async function startWorker(desk: Desk, line: string, options: readonly string[] = []): Promise<Running> {
  const worker = start(desk, [
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
  await worker.says('builder waits for tasks');
  return worker;
}

export async function send({ agent }: Scene, task: string, more: object = {}): Promise<string> {
  return textOf(await agent.call('send_task', { alias: 'builder', task, from_session: 'alice', ...more }), 'task_id');
}

export async function taskOf({ agent }: Scene, taskId: string): Promise<JsonObject> {
  return objectOf(await agent.call('get_task', { task_id: taskId }), 'task');
}

export async function sessionOf({ agent }: Scene): Promise<JsonObject> {
  return objectOf(await agent.call('get_session_status', { alias: 'builder' }), 'session');
}

export const settled = async (told: Scene, taskId: string, expected: object): Promise<void> => {
  await expect.poll(() => taskOf(told, taskId), PATIENT).toMatchObject(expected);
};

/** A pipe that blocks who reads it until it is opened; opening it waits for the reader. */
export function gate(desk: Desk): { path: string; open(): Promise<void> } {
  const path = join(desk.home, 'gate');
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

/** The process ids that a command wrote into `pids`. */
export function pidsAt(desk: Desk): number[] {
  const file = join(desk.home, 'pids');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map(Number)
    : [];
}
