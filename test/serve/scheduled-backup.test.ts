// Scheduled backups of a running hub: when they are due, how many are kept, and what happens after a failure.
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../server/domain/time/clock.ts';
import { scheduleBackups } from '../../server/serve/scheduled-backup.ts';
import { rowsOf } from '../support/fixture.ts';
import { readElsewhere } from '../support/process/other-process.ts';
import { openTestHub } from '../support/test-hub.ts';

const HOUR = 3_600_000;
const PLAN = { backup_schedule: 'hourly', backup_keep: 1 };

async function openPlanned() {
  const hub = await openTestHub();
  const data = dirname(hub.file);
  const directory = join(data, 'backups');
  return {
    hub,
    data,
    directory,
    backups: scheduleBackups({ ...PLAN, data }),
    names: () => readdirSync(directory).sort(),
  };
}

test('one is created at the first check and then every hour, and only the oldest scheduled one is deleted', async () => {
  const { hub, directory, backups, names } = await openPlanned();
  mkdirSync(directory);
  const others = ['agenthub-20200101-000000Z.db', 'agenthub-before-schema-2.db', 'mine.txt'];
  for (const name of others) writeFileSync(join(directory, name), 'mine');
  writeFileSync(join(directory, '.left.db.part-7'), 'half');
  utimesSync(join(directory, '.left.db.part-7'), 0, 0);
  expect(await backups.run(hub)).toEqual({ backups: 1 });
  expect(names()).toEqual([...others, 'agenthub-20260115-120000Z-scheduled.db'].sort());
  hub.clock.advance(HOUR - 1);
  expect(await backups.run(hub)).toEqual({ backups: 0 });
  hub.clock.advance(1);
  expect(await backups.run(hub)).toEqual({ backups: 1 });
  expect(names()).toEqual([...others, 'agenthub-20260115-130000Z-scheduled.db'].sort());
  expect(
    readElsewhere(join(directory, 'agenthub-20260115-130000Z-scheduled.db'), 'SELECT actor, action FROM audit_log'),
  ).toEqual([{ actor: 'backup schedule', action: 'hub.backup' }]);
  expect(await rowsOf({ hub }, 'SELECT count(*) AS count FROM audit_log')).toEqual([{ count: 2 }]);
});

test.each([
  ['hourly', 60],
  ['03:30', 60],
])('after a sleep of days one is created (%s), and the next at its time', async (backup_schedule, hours) => {
  const { hub, data, names } = await openPlanned();
  const backups = scheduleBackups({ data, backup_schedule, backup_keep: 9 });
  expect(await backups.run(hub)).toEqual({ backups: 1 });
  hub.clock.jump(hours * HOUR);
  expect([await backups.run(hub), await backups.run(hub)]).toEqual([{ backups: 1 }, { backups: 0 }]);
  hub.clock.advance(24 * HOUR);
  expect([await backups.run(hub), await backups.run(hub)]).toEqual([{ backups: 1 }, { backups: 0 }]);
  expect(names()).toHaveLength(3);
});

test('a failure is logged, retried after ten minutes, and leaves no partial file', async () => {
  const { hub, directory, backups, names } = await openPlanned();
  writeFileSync(directory, 'in the way');
  await expect(backups.run(hub)).rejects.toThrow(/ENOTDIR|EEXIST/);
  rmSync(directory);
  expect(await backups.run(hub)).toBeUndefined(); // which does not count as recovered
  expect(hub.troubles.listPresent()).toMatchObject([{ kind: 'backup_failed' }]);
  hub.clock.advance(10 * 60_000);
  expect(await backups.run(hub)).toEqual({ backups: 1 });
  expect(names()).toEqual(['agenthub-20260115-121000Z-scheduled.db']);
  expect(hub.troubles.listPresent()).toEqual([]);
});

test('a backup by hand ends the trouble of a failed one at the next check', async () => {
  const { hub, directory, backups } = await openPlanned();
  writeFileSync(directory, 'in the way');
  await expect(backups.run(hub)).rejects.toThrow(/ENOTDIR|EEXIST/);
  rmSync(directory);
  mkdirSync(directory);
  const backup = join(directory, 'agenthub-20260115-120000Z.db');
  writeFileSync(backup, 'older');
  utimesSync(backup, 0, 0);
  expect(await backups.run(hub)).toBeUndefined();
  expect(hub.troubles.listPresent()).toMatchObject([{ kind: 'backup_failed' }]);
  const later = systemClock.now() / 1_000 + 1;
  utimesSync(backup, later, later);
  expect(await backups.run(hub)).toBeUndefined();
  expect(hub.troubles.listPresent()).toEqual([]);
});

test('none is created of a database file that was deleted or replaced, and no older one is deleted for it', async () => {
  const { hub, data, directory, backups, names } = await openPlanned();
  mkdirSync(directory);
  writeFileSync(join(directory, 'agenthub-20260114-120000Z-scheduled.db'), 'the last good one');
  for (const suffix of ['', '-wal']) rmSync(`${hub.file}${suffix}`);
  await expect(backups.run(hub)).rejects.toThrow('the database file was deleted or replaced');
  expect(names()).toEqual(['agenthub-20260114-120000Z-scheduled.db']);
  expect(readdirSync(data)).not.toContain('agenthub.db');
});

test('a hub that stops does not wait for a backup', async () => {
  const { hub, directory, backups } = await openPlanned();
  const running = backups.run(hub);
  backups.stop();
  await expect(running).rejects.toThrow('aborted');
  expect(
    readdirSync(dirname(directory))
      .filter((name) => name === 'backups')
      .flatMap(() => readdirSync(directory))
      .filter((name) => name.endsWith('.db')),
  ).toEqual([]);
});

test('nothing is created when backups are off', async () => {
  const { hub, data } = await openPlanned();
  expect(await scheduleBackups({ data, backup_schedule: 'off', backup_keep: 2 }).run(hub)).toEqual({ backups: 0 });
});
