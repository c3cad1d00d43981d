// Each message that the troubleshooting table quotes is one of the product, so that a search for it finds the remedy.
import { expect, test } from 'vitest';
import { DOCUMENTS, sectionOf } from '../support/readme.ts';
import { isCode, sourceFiles } from '../support/source-files.ts';

const CODE = sourceFiles('server')
  .filter(isCode)
  .map(({ text }) => text)
  .join('\n');

const QUOTED = sectionOf(DOCUMENTS, 'When something is wrong')
  .split('\n')
  .map((line) => /^\| (.*?) \| /.exec(line)?.[1] ?? '')
  .flatMap((symptom) => [...symptom.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));

/** Where a message has `…`, the code may have any expression. */
function isInCode(message: string): boolean {
  const parts = message.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join('\\$\\{[^}]+\\}')).test(CODE);
}

test('each quoted message is in the code', () => {
  expect(QUOTED.filter((message) => message.includes(' ')).length).toBeGreaterThan(3);
  expect(QUOTED.filter((message) => !isInCode(message))).toEqual([]);
});

test('each section that a message refers to is in the manual', () => {
  const named = [...CODE.matchAll(/"([^"\n]+)" in OPERATING\.md/g)].map(([, section = '']) => section);
  expect(named).toContain('When something is wrong');
  for (const section of named) expect(sectionOf(DOCUMENTS, section)).toContain('|');
});

test('a message that the product does not have is detected', () => {
  expect(['host … is not permitted', 'cannot reach the hub on …', 'storage_fuller'].filter(isInCode)).toEqual([]);
});
