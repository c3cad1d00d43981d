// A hub that cannot start prints the reason in one line, which is also the only line of its log unless its settings
// cannot be read, exits with code 1 (2 for invalid settings), and changes no file.
import { expect } from 'vitest';
import { restClient } from '../http/rest-client.ts';
import { fingerprint } from '../store/stored-data.ts';
import type { Launch, Target } from './hub-process.ts';
import { runToItsEnd, startHub } from './running-hub.ts';

/** Expects one line on standard error that names the cause, the exit code, and no change in any file below `place`. */
export async function expectRefusal(options: Launch, directory: string, cause: string, code = 1): Promise<void> {
  const before = fingerprint(directory);
  const { stderr, stdout, ...ending } = await runToItsEnd(options);
  expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
  expect.soft(stderr).toContain(cause);
  expect.soft(ending).toEqual({ code, signal: null });
  const message = stderr.slice('agenthub: '.length, -1);
  if (code === 1 || stdout !== '') expect.soft(JSON.parse(stdout)).toMatchObject({ level: 'fatal', msg: message });
  expect(fingerprint(directory)).toEqual(before);
}

export function on(data: string): string[] {
  return ['--port', '0', '--data', data];
}

/** The data directory of a hub that was stopped gracefully. */
export async function usedData(target: Target): Promise<string> {
  const hub = await startHub({ target });
  await restClient(hub.url).get('/health');
  expect(await hub.stop()).toBe(0);
  return hub.data;
}
