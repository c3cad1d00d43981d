// When scheduled backups are due, and how their names are parsed.
import { describe, expect, test } from 'vitest';
import { backupName, lastDue, readSchedule, scheduledMoment } from '../../server/domain/files/backup.ts';

const at = (hour: number, minute: number, day = 20): number => new Date(2026, 10, day, hour, minute).getTime();

test.each([
  ['off', 'off'],
  ['hourly', 'hourly'],
  ['00:00', { hour: 0, minute: 0 }],
  ['23:59', { hour: 23, minute: 59 }],
  ['24:00', undefined],
  ['3:30', undefined],
  ['03:60', undefined],
  ['daily', undefined],
  ['', undefined],
  ['03:30 ', undefined],
])('%j is parsed as %j', (text, schedule) => expect(readSchedule(text)).toEqual(schedule));

describe('the last time a backup was due', () => {
  const half = { hour: 3, minute: 30 };
  test.each([
    ['at the time itself', at(3, 30), at(3, 30)],
    ['a minute before', at(3, 29), at(3, 30, 19)],
    ['at the end of the day', at(23, 59), at(3, 30)],
    ['at the first minute of a month', new Date(2026, 11, 1, 0, 0).getTime(), new Date(2026, 10, 30, 3, 30).getTime()],
  ])('%s', (_, now, due) => expect(lastDue(half, now)).toBe(due));

  const inZone = (name: string, check: () => void): void => {
    const zone = process.env['TZ'];
    process.env['TZ'] = name;
    try {
      check();
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  };

  test.each([
    ['02:30, which a day in spring does not have', { hour: 2, minute: 30 }, Date.UTC(2027, 2, 26), 5],
    ['02:30, which a day in autumn has twice', { hour: 2, minute: 30 }, Date.UTC(2027, 9, 29), 5],
    ['23:45, in spring', { hour: 23, minute: 45 }, Date.UTC(2027, 2, 26), 5],
    ['00:10, in autumn', { hour: 0, minute: 10 }, Date.UTC(2027, 9, 29), 5],
  ])('is once a day: %s', (_, schedule, from, days) =>
    inZone('Europe/Berlin', () => {
      const moments = Array.from({ length: days * 24 * 60 }, (_, minute) => lastDue(schedule, from + minute * 60_000));
      expect(moments.every((moment, index) => moment >= (moments[index - 1] ?? 0))).toBe(true);
      expect(new Set(moments.filter((moment) => moment >= from)).size).toBe(days);
    }),
  );

  test('in the night after a short day is the evening of that day', () =>
    inZone('Europe/Berlin', () => {
      expect(lastDue({ hour: 3, minute: 30 }, new Date(2027, 2, 29, 0, 10).getTime())).toBe(
        new Date(2027, 2, 28, 3, 30).getTime(),
      );
    }));

  test('is that of the day before after a day that the time zone has left out', () =>
    inZone('Pacific/Apia', () => {
      const [before, after] = [new Date(2011, 11, 29, 3, 30), new Date(2011, 11, 31, 3, 30)].map(Number);
      expect(lastDue({ hour: 3, minute: 30 }, new Date(2011, 11, 31, 0, 1).getTime())).toBe(before);
      expect(lastDue({ hour: 3, minute: 30 }, new Date(2011, 11, 31, 3, 30).getTime())).toBe(after);
    }));

  test('is the full hour for an hourly schedule', () => {
    expect(lastDue('hourly', Date.UTC(2026, 10, 20, 9, 59, 59))).toBe(Date.UTC(2026, 10, 20, 9));
  });
});

describe('a name', () => {
  const moment = Date.UTC(2026, 0, 31, 23, 59, 58);

  test('contains its time, and only names of the schedule belong to it', () => {
    expect(backupName(moment, { isScheduled: false })).toBe('agenthub-20260131-235958Z.db');
    expect(backupName(moment, { isScheduled: true })).toBe('agenthub-20260131-235958Z-scheduled.db');
    expect(scheduledMoment(backupName(moment, { isScheduled: true }))).toBe(moment);
  });

  test.each([
    'agenthub-20260131-235958Z.db',
    'agenthub-before-schema-2.db',
    '.agenthub-20260131-235958Z-scheduled.db.part-7',
    'agenthub-20260131-235958Z-scheduled.db.gz',
    'mine.db',
  ])('%s is never deleted', (name) => expect(scheduledMoment(name)).toBeUndefined());
});
