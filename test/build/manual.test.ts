// The documents in the archives and packages.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { changelogOf, linksOf, MANUAL, manualText, writeManual } from '../../scripts/release/manual.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';

test('each link of the manual leads to a file in it', () => {
  const directory = temporaryDirectory();
  writeManual(directory);
  const texts = MANUAL.filter((file) => file.endsWith('.md'));
  const links = texts.flatMap((file) =>
    linksOf(readFileSync(join(directory, file), 'utf8')).map((target) => join(directory, dirname(file), target)),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((path) => !existsSync(path))).toEqual([]);
});

test('the manual says nothing about how to change the code, and has everything for users', () => {
  const readme = manualText('README.md');
  expect(readme).toMatch(/^# agenthub\n\n> This copy belongs to a release/);
  expect(readme).not.toContain('In the code');
  expect(readme).not.toContain('Contributing');
  expect(readme).toContain('| [Operating a hub](server/OPERATING.md) |');
  expect(readme).toMatch(/\[MIT license\]\(LICENSE\)\.\n$/);
});

test('the changelog of a release says that its changes are in this version', () => {
  const text = '# Changelog\n\n## [Unreleased]\n\n- new\n';
  const released = new Date('2026-03-01T12:00:00Z');
  expect(changelogOf('1.2.0', released, text)).toBe('# Changelog\n\n## [1.2.0] - 2026-03-01\n\n- new\n');
  const with1 = `${text}\n## [1.2.0] - 2026-02-01\n`;
  expect(changelogOf('1.2.0', released, with1)).toBe(with1);
});
