// Whether a hub gives back what a heavy operation took: a network with most of the data is filled, searched and deleted
// while another tenant works. The file then gets smaller, and so does the memory.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { restClient } from '../../../test/support/http/rest-client.ts';
import { callInBatches, openAttackContext } from '../abuse/attack.ts';
import { ownBytes } from '../abuse/health.ts';
import { measureImpact } from '../abuse/impact.ts';
import { ask } from '../abuse/wire.ts';
import type { Hub } from '../hub.ts';
import type { Row, Trial } from '../row.ts';

const MEBIBYTE = 2 ** 20;
const TEXT = 10_000;
const SENDS_PER_BATCH = 5;
const SEARCHES = 20;
/** The file is looked at each minute. */
const GIVEN_BACK_MS = 150_000;
/** Of usual work, for the memory before. */
const USUAL_MS = 10_000;
/** The memory must be back by then. */
const SETTLED_MS = 60_000;
const MAX_MEMORY = 1.5;
const MAX_FILE = 0.5;

export const givesBack: Row = {
  name: 'gives-back',
  promise: 'the space and the memory of deleted data are given back while the hub serves',
  test: (megabytes) =>
    `a network of ${megabytes} MB filled, searched and deleted next to a tenant that sends and reads`,
  target: `the file at most ${MAX_FILE * 100}% of its peak, memory at most ${MAX_MEMORY} times of before, no error and no wait for the other tenant`,
  amounts: { least: 40, quick: 60, long: 600 },
  isAlone: true,
  run: async (trial) => {
    if (process.platform !== 'linux') return { skipped: 'the memory of a process is read from /proc' };
    const hub = await trial.start();
    const context = await openAttackContext(trial, hub);
    const memory: number[] = [];
    const size = [0];
    const impact = await measureImpact(hub, context.neighbor, trial.size, async () => {
      await after(USUAL_MS);
      memory.push(ownBytes(hub.pid));
      await fillAndSearch(trial, hub, context);
      size.push(fileOf(hub));
      memory.push(ownBytes(hub.pid));
      const { networkId, userToken: token } = context.mallory;
      const { status } = await ask(hub, { method: 'DELETE', path: `/api/networks/${networkId}`, token });
      await within(GIVEN_BACK_MS, () => isSmall(hub, size));
      return status === 200 ? [] : [`deleting the network returned ${status}`];
    });
    const [before = 0] = memory;
    // The tenant has stopped: with work, the heap for new objects grows to its usual size again.
    const isLittle = await within(SETTLED_MS, () => ownBytes(hub.pid) <= MAX_MEMORY * before);
    size.push(fileOf(hub));
    memory.push(ownBytes(hub.pid));
    return {
      figure: `file ${size.map(shown).join(', ')} MiB, memory ${memory.map(shown).join(', ')} MiB`,
      complaints: [
        ...impact.complaints,
        ...(isSmall(hub, size) ? [] : ['the file did not get smaller']),
        ...(isLittle ? [] : ['the memory did not get smaller']),
      ],
    };
  },
};

async function within(milliseconds: number, isTrue: () => boolean): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (!isTrue() && performance.now() < end) await after(500);
  return isTrue();
}

type Context = Awaited<ReturnType<typeof openAttackContext>>;

async function fillAndSearch({ amount, draws }: Trial, hub: Hub, context: Context): Promise<void> {
  const { networkToken } = context.mallory;
  const sends = Array.from({ length: (amount * MEBIBYTE) / TEXT }, (_, number) => ({
    alias: `agent-${number % 50}`,
    task: `${number} ${draws.below(1e9)} `.padEnd(TEXT, 'lorem ipsum '),
    from_session: `boss-${number}`,
  }));
  await callInBatches(context, networkToken, 'send_task', sends, SENDS_PER_BATCH);
  const rest = restClient(hub.url, networkToken);
  for (let search = 0; search < SEARCHES; search++) await rest.get('/api/tasks?limit=500&text=nowhere');
}

function isSmall(hub: Hub, [, full = 0]: readonly number[]): boolean {
  return fileOf(hub) <= full * MAX_FILE;
}

function fileOf({ data }: Hub): number {
  return statSync(join(data, 'agenthub.db')).size;
}

function shown(bytes: number): string {
  return String(Math.round(bytes / MEBIBYTE));
}
