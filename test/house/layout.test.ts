// The layout of the code: small folders, short lines, and no import cycles.
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';
import { importsOf, isCode, type SourceFile, sourceFiles, targetOf } from '../support/source-files.ts';

const MAX_FILES = 22;
const MAX_LINE = 120;
const CODE = ['build', 'console', 'scripts', 'server', 'test'];

const ours = (): SourceFile[] => sourceFiles(...CODE).filter(isCode);

describe('a folder', () => {
  test(`has at most ${MAX_FILES} files`, () => {
    expect(CODE.flatMap(foldersBelow).filter(({ files }) => files > MAX_FILES)).toEqual([]);
  });

  test('is counted with all of its files', () => {
    expect(foldersBelow('test/house').find(({ path }) => path === 'test/house')?.files).toBe(
      readdirSync(join(ROOT, 'test/house')).length,
    );
  });
});

/** Fixtures are data, one file for each case. */
function foldersBelow(path: string): { path: string; files: number }[] {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
  const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== 'fixtures');
  const files = entries.filter((entry) => entry.isFile()).length;
  return [{ path, files }, ...inner.flatMap(({ name }) => foldersBelow(posix.join(path, name)))];
}

/** The line without string and regular expression literals, which cannot always be broken. */
const withoutLiterals = (line: string): string =>
  line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?![/*])(?:[^/\\\n]|\\.)+\/[gimsuy]*/g, "''");

/** A line inside a multi-line template, such as SQL or a shell script, is part of a text. */
function tooLongIn({ path, text }: SourceFile): string[] {
  let isInTemplate = false;
  return text.split('\n').flatMap((line, index) => {
    const wasInTemplate = isInTemplate;
    if ((withoutEscapes(line).match(/`/g)?.length ?? 0) % 2 === 1) isInTemplate = !isInTemplate;
    const isText = wasInTemplate || isInTemplate || withoutLiterals(line).length <= MAX_LINE;
    return line.length > MAX_LINE && !isText ? [`${path}:${index + 1}`] : [];
  });
}

const withoutEscapes = (line: string): string => line.replace(/\\./g, '').replace(/'[^']*'|"[^"]*"/g, '');

describe('a line', () => {
  test(`has at most ${MAX_LINE} characters, unless a text makes it longer`, () => {
    expect(ours().flatMap(tooLongIn)).toEqual([]);
  });

  test.each([
    ['code', `const x = ${'y + '.repeat(40)}1;`, 1],
    ['a comment', `// ${'word '.repeat(40)}`, 1],
    ['a text', `const x = '${'word '.repeat(40)}';`, 0],
    ['SQL in a template', `const x = \`SELECT\n  ${'column, '.repeat(20)}\n\`;`, 0],
  ])('of %s that is too long is detected or accepted', (_, text, found) => {
    expect(tooLongIn({ path: 'server/x.ts', text })).toHaveLength(found);
  });
});

/** Import cycles, following only imports that remain at run time. */
function cyclesIn(files: readonly SourceFile[]): string[][] {
  const graph = new Map(files.map(({ path, text }) => [path, targetsOf(path, text)]));
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) return void cycles.push([...way.slice(way.indexOf(path)), path]);
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

function targetsOf(path: string, text: string): string[] {
  return importsOf(text).flatMap(({ from, isType }) => {
    const target = isType || /import\(/.test(from) ? undefined : targetOf(path, from);
    return target === undefined ? [] : [target];
  });
}

/** Without `import('…')`, which runs later, and with inline `type` imports as type imports. */
const atStart = ({ path, text }: SourceFile): SourceFile => ({
  path,
  text: text
    .replace(/\bimport\('[^']*'\)/g, '')
    .replace(/import \{([^}]*)\} from/g, (whole, names: string) =>
      names.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '))
        ? `import type {${names}} from`
        : whole,
    ),
});

describe('imports', () => {
  test('have no cycles', () => {
    expect(cyclesIn(ours().map(atStart))).toEqual([]);
  });

  test('with a cycle are detected', () => {
    const a = { path: 'server/a.ts', text: "import { b } from './b.ts';" };
    const b = { path: 'server/b.ts', text: "import { a } from './a.ts';" };
    const types = { path: 'server/b.ts', text: "import type { A } from './a.ts';" };
    expect(cyclesIn([a, b])).toEqual([['server/a.ts', 'server/b.ts', 'server/a.ts']]);
    expect(cyclesIn([a, types])).toEqual([]);
  });
});
