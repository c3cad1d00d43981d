// Every shell block in the documents is run by a test, so that none can become outdated.
import { expect, test } from 'vitest';
import { blocksIn, DOCUMENTS, headingsOf, sectionOf } from '../support/readme.ts';
import { sourceFiles } from '../support/source-files.ts';

/** Run by CI on a fresh clone. */
const ELSEWHERE = ['Run it', 'Contributing'];

test('each heading with a shell block is read by a test', () => {
  const tests = sourceFiles('test')
    .map(({ text }) => text)
    .join('\n');
  const read = new Set([...tests.matchAll(/readmeBlocks?\('([^']+)'/g)].map(([, heading]) => heading));
  const withLines = headingsOf(DOCUMENTS).filter((heading) =>
    blocksIn(ownPart(heading)).some(({ language }) => language === 'sh'),
  );
  expect(withLines).toContain('Quick start');
  expect(withLines.filter((heading) => !read.has(heading) && !ELSEWHERE.includes(heading))).toEqual([]);
});

/** The text between a heading and the next one of any level. */
function ownPart(heading: string): string {
  const section = sectionOf(DOCUMENTS, heading);
  const [first] = headingsOf(section);
  return first === undefined ? section : section.slice(0, section.indexOf(` ${first}\n`));
}

test('a heading is in only one document', () => {
  const headings = headingsOf(DOCUMENTS);
  expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
});
