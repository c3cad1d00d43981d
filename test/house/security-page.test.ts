// The security page names settings, commands and options that exist.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROWS } from '../../server/cli/commands.ts';
import { KEY_NAMES } from '../../server/config/keys.ts';

const PAGE = readFileSync(new URL('../../.github/SECURITY.md', import.meta.url), 'utf8');
const QUOTED = [...PAGE.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words);
const COMMANDS = ROWS.flatMap(({ words, short }) => [words, ...(short === undefined ? [] : [short])]);

test('it is short', () => expect(PAGE.split('\n').length).toBeLessThan(150));

test('each setting in it exists', () => {
  const settings = QUOTED.filter((words) => /^[a-z]+(_[a-z]+)+$/.test(words));
  expect(settings.length).toBeGreaterThan(10);
  expect(settings.filter((name) => !KEY_NAMES.some((key) => key === name))).toEqual([]);
});

test('each row of its defaults names an existing setting or none', () => {
  const named = PAGE.split('\n').flatMap((line) => /\| ((?:`\w+`(?:, )?)+) \|$/.exec(line)?.[1]?.match(/\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !KEY_NAMES.some((key) => key === name))).toEqual([]);
});

test('each command in it exists', () => {
  const called = QUOTED.flatMap((words) => /^agenthub (.+)$/.exec(words)?.[1] ?? []);
  expect(called.length).toBeGreaterThan(4);
  const isKnown = (words: string) => COMMANDS.some((command) => `${words} `.startsWith(`${command} `));
  expect(called.filter((words) => !isKnown(words))).toEqual([]);
});
