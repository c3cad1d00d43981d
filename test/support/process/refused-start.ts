// A hub that cannot start says why in one line, ends with code 1 (2 where it was told something wrong), and leaves
// everything as it found it.
import { expect } from 'vitest';
import { restClient } from '../http/rest-client.ts';
import { fingerprint } from '../store/stored-data.ts';
import type { Launch, Target } from './hub-process.ts';
import { runToItsEnd, startHub } from './running-hub.ts';

/** One line on standard error that names the cause, the code, and not a byte below `place` changed. */
export async function expectRefusal(options: Launch, place: string, cause: string, code = 1): Promise<void> {
  const before = fingerprint(place);
  const { stderr, ...ending } = await runToItsEnd(options);
  expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
  expect.soft(stderr).toContain(cause);
  expect.soft(ending).toEqual({ code, signal: null, stdout: '' });
  expect(fingerprint(place)).toEqual(before);
}

export function on(data: string): string[] {
  return ['--port', '0', '--data', data];
}

/** The data directory of a hub that ran and ended in order. */
export async function usedData(target: Target): Promise<string> {
  const hub = await startHub({ target });
  await restClient(hub.url).get('/health');
  expect(await hub.stop()).toBe(0);
  return hub.data;
}
