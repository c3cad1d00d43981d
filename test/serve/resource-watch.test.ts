// What a hub notices about its resources, on a manual clock: a write that hangs, and trouble that comes and goes.
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TROUBLE_KINDS, TROUBLES } from '../../server/domain/health/troubles.ts';
import type { Log } from '../../server/domain/log.ts';
import { openTroubles } from '../../server/events/troubles.ts';
import { statusOf } from '../../server/http/error-statuses.ts';
import { perform } from '../../server/operations/operation.ts';
import { healthReady } from '../../server/operations/records/probes.ts';
import { watchResources } from '../../server/serve/machine/resource-watch.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openTestHub, temporaryDirectory } from '../support/test-hub.ts';

test('a write that waits for over ten seconds makes the hub unready until it is stored', async () => {
  const hub = await openTestHub();
  const release = Promise.withResolvers<void>();
  const look = (): void => watchResources(hub).stop();
  const ready = () => perform(healthReady, hub, { ip: '127.0.0.1' }, {});
  onTestFinished(() => release.resolve());

  const begun = Promise.withResolvers<void>();
  const write = hub.store.write(async () => {
    begun.resolve();
    await release.promise;
  });
  await begun.promise;
  hub.clock.advance(9_000);
  look();
  await expect(ready()).resolves.toEqual({ status: 'ok' });
  hub.clock.advance(2_000);
  look();
  expect(hub.store.queues().writes).toEqual({ count: 1, ageMs: 11_000 });
  await expect(ready()).rejects.toMatchObject({ code: 'writes_stalled' });

  release.resolve();
  await write;
  await expect.poll(() => hub.store.queues().writes).toEqual({ count: 0, ageMs: 0 });
  look();
  await expect(ready()).resolves.toEqual({ status: 'ok' });
});

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['replaced', (file: string) => renameSync(copyOf(file), file)],
])('a database file that was %s makes the hub unready, because its data is lost when it stops', async (_, lose) => {
  const file = join(temporaryDirectory(), 'agenthub.db');
  const hub = await openTestHub({}, undefined, file);
  const look = (): void => watchResources(hub).stop();
  const ready = () => perform(healthReady, hub, { ip: '127.0.0.1' }, {});
  look();
  await expect(ready()).resolves.toEqual({ status: 'ok' });
  lose(file);
  look();
  await expect(ready()).rejects.toMatchObject({ code: 'database_gone' });
});

test('the readiness probe returns 503 for each trouble that makes the hub unready, and never for another', () => {
  const unready = TROUBLE_KINDS.filter((kind) => TROUBLES[kind].isUnready);
  expect(unready.map(statusOf)).toEqual(unready.map(() => 503));
  expect(['disk_low', 'event_loop_stalled', 'no_code'].map(statusOf)).toEqual([400, 400, 400]);
});

function copyOf(file: string): string {
  copyFileSync(file, `${file}.copy`);
  return `${file}.copy`;
}

test('trouble that comes and goes every second is logged once a minute, and is remembered each time', () => {
  const clock = manualClock();
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  const log: Log = { isLevelEnabled: () => false, debug: note, info: note, warn: note, error: note };
  const troubles = openTroubles(log, { now: clock.wall });
  for (let second = 0; second < 120; second++) {
    troubles.report('disk_low', second % 2 === 0);
    clock.advance(1_000);
  }
  const logged = expect.stringContaining('little space left');
  expect(lines).toEqual([logged, 'trouble ended', logged, 'trouble ended']);
  expect(troubles.listPresent()).toEqual([]);
  expect(troubles.listRecent()).toHaveLength(60);
});
