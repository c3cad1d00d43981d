// Every file name and every link in a document is valid.
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';
import { type SourceFile, sourceFiles } from '../support/source-files.ts';

const documents = (): SourceFile[] =>
  sourceFiles().filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md');

const isThere = (path: string): boolean => existsSync(join(ROOT, path));

function brokenLinksIn({ path, text }: SourceFile): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links.filter((link) => {
    const [file = ''] = link.split('#');
    return !/^[a-z]+:/.test(link) && file !== '' && !isThere(posix.join(posix.dirname(path), file));
  });
}

/**
 * A file can be named relative to the document, to the repository root, to `server`, or by the end of its path below the
 * document's folder.
 */
function missingFilesIn({ path, text }: SourceFile): string[] {
  const folder = posix.dirname(path);
  const names = [...text.matchAll(/`([\w-]+(?:\/[\w-]+)*\.tsx?)`/g)].map(([, name = '']) => name);
  const all = sourceFiles().map((file) => file.path);
  return names.filter((name) => {
    const isNamed = ['', 'server', folder].some((from) => isThere(posix.join(from, name)));
    return !isNamed && !all.some((file) => file.startsWith(`${folder}/`) && file.endsWith(`/${name}`));
  });
}

describe('a document', () => {
  test('has only valid links', () => {
    expect(documents().length).toBeGreaterThan(10);
    expect(documents().flatMap((page) => brokenLinksIn(page).map((link) => `${page.path}: ${link}`))).toEqual([]);
  });

  test('names only existing files', () => {
    expect(documents().flatMap((page) => missingFilesIn(page).map((name) => `${page.path}: ${name}`))).toEqual([]);
  });

  test('with a broken link or a missing file is detected', () => {
    const page = {
      path: 'server/store/README.md',
      text: '[a](../nowhere.md) [b](../README.md) `nothing.ts` `tasks.ts`',
    };
    expect([brokenLinksIn(page), missingFilesIn(page)]).toEqual([['../nowhere.md'], ['nothing.ts']]);
  });
});
