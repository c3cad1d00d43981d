// The trials of `npm run trust` in their smallest form on the executable, and proof that they can fail.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DIST, ROOT } from '../../build/step.ts';
import { seed } from '../../scripts/trust/bite.ts';
import { openDisk } from '../../scripts/trust/disk.ts';
import { exactlyOnce } from '../../scripts/trust/exactly-once.ts';
import { FAULTS } from '../../scripts/trust/faults.ts';
import { fullDisk } from '../../scripts/trust/full-disk.ts';
import { invites } from '../../scripts/trust/invites.ts';
import { limits } from '../../scripts/trust/limits.ts';
import { powerCut } from '../../scripts/trust/power-cut.ts';
import { races } from '../../scripts/trust/races.ts';
import type { Row } from '../../scripts/trust/row.ts';
import { ROWS } from '../../scripts/trust/rows.ts';
import { secrets } from '../../scripts/trust/secrets.ts';
import { strangers } from '../../scripts/trust/strangers.ts';
import { streamReplay } from '../../scripts/trust/stream-replay.ts';
import { usedUpQuota } from '../../scripts/trust/used-up-quota.ts';
import { runRow } from '../../scripts/trust/trial.ts';
import { seededDraws } from '../support/seeded.ts';

const BINARY = join(DIST, 'agenthub');
const TIMEOUT_MS = 60_000;

/** kill -9 has a story of its own; the others take too long here, or measure what other tests would disturb. */
const TRIED: readonly Row[] = [powerCut, fullDisk, usedUpQuota, streamReplay, exactlyOnce, races, invites, limits, secrets, strangers];
const SEEDED = ['the guard of the moves missing', 'the first answer to a key forgotten', 'the network of a task not looked at'];

describe.skipIf(!existsSync(BINARY))('on the executable', () => {
  test.each(TRIED.map((row) => [row.name, row] as const))('%s', { timeout: TIMEOUT_MS }, async (_, row) => {
    const { finding } = await runRow(row, { command: { file: BINARY, args: [] }, size: 'least', seed: seededDraws().below(2 ** 32) });
    if ('complaints' in finding) expect(finding.complaints).toEqual([]);
    else process.stderr.write(`${row.name} was not tried: ${finding.skipped}\n`);
  });
});

test.each(FAULTS.filter(({ name }) => SEEDED.includes(name)).map((fault) => [fault.name, fault] as const))('caught: %s', { timeout: TIMEOUT_MS }, async (_, fault) => {
  expect(await seed(fault, seededDraws().below(2 ** 32))).toBe('caught');
});

test.each(FAULTS)('the fault can be put into the source as it is: $name', ({ file, find }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
});

test('every fault to be seeded here is known, and no two rows share a name', () => {
  expect(FAULTS.filter(({ name }) => SEEDED.includes(name))).toHaveLength(SEEDED.length);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});

describe('after a power cut', () => {
  const bytes = (text: string) => Buffer.from(text);
  const none = (): number => 0;
  const found = (disk: ReturnType<typeof openDisk>, keep: (size: number) => number = none): string | undefined => {
    const image = disk.imageOf('file', keep);
    return image === undefined ? undefined : Buffer.from(image).toString();
  };

  test('what was synced is there, what was not may be', () => {
    const disk = openDisk('/data');
    disk.apply({ kind: 'create', path: '/data/file' });
    disk.apply({ kind: 'write', path: '/data/file', at: 0, bytes: bytes('first') });
    disk.apply({ kind: 'sync', path: '/data' });
    expect(found(disk)).toBe('');
    disk.apply({ kind: 'sync', path: '/data/file' });
    disk.apply({ kind: 'write', path: '/data/file', at: 5, bytes: bytes(' second') });
    expect([found(disk), found(disk, () => 3), found(disk, (size) => size)]).toEqual(['first', 'first se', 'first second']);
  });

  test('a new file is there once its directory was synced, a removed one until then', () => {
    const disk = openDisk('/data');
    disk.apply({ kind: 'create', path: '/data/file' });
    expect(found(disk)).toBeUndefined();
    disk.apply({ kind: 'sync', path: '/data' });
    disk.apply({ kind: 'remove', path: '/data/file' });
    expect(found(disk)).toBe('');
    disk.apply({ kind: 'sync', path: '/data' });
    expect(found(disk)).toBeUndefined();
  });
});
