// A hub in which ada has registered. Hashing her password takes a quarter of a second of CPU time: the first test of a
// file pays for it, and the others start with a copy of the resulting data.
import { cpSync } from 'node:fs';
import { afterAll } from 'vitest';
import { type Account, register } from '../http/rest-client.ts';
import type { Target } from './hub-process.ts';
import { type HubOptions, type RunningHub, startHub, temporaryDirectory } from './running-hub.ts';

export type HubOfAda = Account & { hub: RunningHub };
type Prepared = { data: string; account: Account };

const cleanups: (() => Promise<void>)[] = [];
let prepared: Promise<Prepared> | undefined;

afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

export async function hubOfAda(options: Omit<HubOptions, 'data'>): Promise<HubOfAda> {
  const { data: left, account } = await (prepared ??= prepare(options.target));
  const data = temporaryDirectory(options.atEnd);
  cpSync(left, data, { recursive: true });
  return { hub: await startHub({ ...options, data }), ...account };
}

/** The data of a hub that was stopped gracefully. */
async function prepare(target: Target): Promise<Prepared> {
  const hub = await startHub({ target, atEnd: (cleanup) => void cleanups.unshift(cleanup) });
  const account = await register(hub.url, 'ada');
  await hub.stop();
  return { data: hub.data, account };
}
