// Public ids derived from sequence numbers. Only the holder of the key can decode them.
import { describe, expect, test } from 'vitest';
import { publicIds } from '../../server/domain/ids/public-ids.ts';

const KEY = '00112233445566778899aabbccddeeff';
const ids = publicIds(KEY);
const MOST = 2 ** 48 - 1;

describe('an id of a number', () => {
  test.each([0, 1, 2, 255, 256, 65_536, 2 ** 32, MOST])('%d is decoded', (number) => {
    expect(ids.numberIn('event', ids.ofNumber('event', number))).toBe(number);
    expect(ids.numberIn('event', ids.ofNumber('event', number, 7))).toBe(number);
  });

  test('is the same after a restart and an upgrade, because clients store it', () => {
    expect(publicIds(KEY).ofNumber('event', 1)).toBe(ids.ofNumber('event', 1));
    expect([ids.ofNumber('event', 1), ids.ofNumber('tasks', 1)]).toEqual([
      'NvpEg20iSkxMSMSa6nfSmQ',
      'T2f9Tv66_tx0DwvyJLnNLg',
    ]);
  });

  test('is different for each number and each kind', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => index);
    const kinds = ['event', 'audit_entry', 'tasks'] as const;
    expect(new Set(kinds.flatMap((kind) => numbers.map((number) => ids.ofNumber(kind, number)))).size).toBe(60_000);
  });

  test('has 22 URL-safe characters, and half of its bits change from number to number', () => {
    const made = Array.from({ length: 1_000 }, (_, index) => ids.ofNumber('event', index));
    expect(made.filter((id) => !/^[\w-]{22}$/.test(id))).toEqual([]);
    const changed = made.slice(1).map((id, index) => bitsBetween(id, made[index] ?? ''));
    expect(Math.min(...changed)).toBeGreaterThan(30);
    expect(changed.reduce((sum, bits) => sum + bits, 0) / changed.length / 128).toBeCloseTo(0.5, 1);
  });

  test.each<[string, (id: string) => string]>([
    ['of another kind', () => ids.ofNumber('tasks', 5)],
    ['of another hub', () => publicIds(KEY.replace('0', '1')).ofNumber('event', 5)],
    ['the bare number', () => '5'],
    ['nothing', () => ''],
    ['a truncated one', (id) => id.slice(1)],
    ['one with a suffix', (id) => `${id}A`],
    ['two concatenated', (id) => id + id],
    ['one with another alphabet', (id) => `${id.slice(0, 21)}+`],
    ['one whose unused bits are set', (id) => id.slice(0, 21) + String.fromCharCode(id.charCodeAt(21) + 1)],
  ])('is never %s', (_, made) => {
    expect(ids.numberIn('event', made(ids.ofNumber('event', 5)))).toBeUndefined();
  });

  test('is rejected after any change', () => {
    const id = ids.ofNumber('event', 5);
    const changed = Array.from(
      id,
      (character, index) => id.slice(0, index) + (character === 'x' ? 'y' : 'x') + id.slice(index + 1),
    );
    expect(changed.map((each) => ids.numberIn('event', each)).filter((number) => number !== undefined)).toEqual([]);
  });
});

describe('an id of a text', () => {
  test.each(['', 'net_1 bob', 'net_1 小明 🙂', 'x'.repeat(900)])('%j comes back', (text) => {
    expect(ids.textIn('sessions', ids.ofText('sessions', text))).toBe(text);
  });

  test('is rejected with another kind, from another hub, after a change or when truncated', () => {
    const id = ids.ofText('sessions', 'net_1 bob');
    const wrong = [
      ids.ofText('tasks', 'net_1 bob'),
      publicIds(KEY.replace('0', '1')).ofText('sessions', 'net_1 bob'),
      `${id}A`,
      id.slice(0, -1),
      id.toLowerCase(),
      'x',
      '',
    ];
    expect(wrong.map((each) => ids.textIn('sessions', each)).filter((text) => text !== undefined)).toEqual([]);
  });
});

function bitsBetween(one: string, other: string): number {
  const [bytes, others] = [Buffer.from(one, 'base64url'), Buffer.from(other, 'base64url')];
  return bytes.reduce(
    (bits, byte, index) => bits + (byte ^ (others[index] ?? 0)).toString(2).replaceAll('0', '').length,
    0,
  );
}
