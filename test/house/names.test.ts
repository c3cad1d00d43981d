// File names, file length, opening comments, and that the file, the wire name and the function of a tool agree.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { isCode, type SourceFile, sourceFiles, withoutComments } from '../support/source-files.ts';

const MAX_LINES = 320;
const EMPTY_WORDS = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'service', 'base', 'misc']);

const pathsOf = (files: SourceFile[]): string[] => files.map(({ path }) => path);

/** `server/send-task.ts` consists of server, send, task and ts, `sendTask` of send and task. */
const outcomesOf = (name: string): string[] =>
  name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
const isEmptyName = (name: string): boolean => outcomesOf(name).some((word) => EMPTY_WORDS.has(word));

const exportedNames = ({ text }: SourceFile): string[] =>
  [...withoutComments(text).matchAll(/\bexport (?:async )?(?:function|const|class|type|interface) (\w+)/g)].map(
    ([, name = '']) => name,
  );

const isTooLong = ({ text }: SourceFile): boolean => text.trimEnd().split('\n').length > MAX_LINES;
const opensWithComment = ({ text }: SourceFile): boolean => /^(\/\/|\/\*|--) ?\S/.test(text);
const isBarrel = ({ text }: SourceFile): boolean => {
  const statements = withoutComments(text)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return (
    statements.length > 0 &&
    statements.every((statement) => /^export\s+(type\s+)?(\*|\{)[^;]*\sfrom\s+'/.test(statement))
  );
};

const file = (text: string, path = 'server/x.ts'): SourceFile => ({ path, text });

const TOP_LEVEL = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'build',
  'console',
  'package-lock.json',
  'package.json',
  'scripts',
  'sea-config.json',
  'server',
  'test',
  'tsconfig.json',
];
const GENERATED = /^(dist|node_modules|agenthub-data|.*\.log)$/;

test('the top level contains only these entries', () => {
  const names = readdirSync(ROOT).filter((name) => !name.startsWith('.') && !GENERATED.test(name));
  expect(names.toSorted()).toEqual(TOP_LEVEL);
});

describe('names are specific:', () => {
  test('those of files and directories', () => {
    expect(pathsOf(sourceFiles('server', 'console', 'build', 'scripts', 'test')).filter(isEmptyName)).toEqual([]);
  });

  test('those that the server exports', () => {
    expect(sourceFiles('server').filter(isCode).flatMap(exportedNames).filter(isEmptyName)).toEqual([]);
  });

  test.each([
    'server/util.ts',
    'server/domain/task-helpers.ts',
    'server/common/x.ts',
    'TaskManager',
    'openService',
    'baseOf',
    'misc',
  ])('%s is not', (name) => {
    expect(isEmptyName(name)).toBe(true);
  });

  test.each(['server/domain/base62.ts', 'database', 'serviceability', 'baseline'])('%s is', (name) => {
    expect(isEmptyName(name)).toBe(false);
  });
});

describe('a file of the server', () => {
  test(`has at most ${MAX_LINES} lines`, () => {
    expect(pathsOf(sourceFiles('server').filter(isCode).filter(isTooLong))).toEqual([]);
    expect([isTooLong(file('x\n'.repeat(MAX_LINES))), isTooLong(file('x\n'.repeat(MAX_LINES + 1)))]).toEqual([
      false,
      true,
    ]);
  });

  test('opens with a comment that describes it', () => {
    expect(
      pathsOf(sourceFiles('server').filter((found) => !found.path.endsWith('.md') && !opensWithComment(found))),
    ).toEqual([]);
    expect([
      opensWithComment(file("import a from './a.ts';")),
      opensWithComment(file('\n// late')),
      opensWithComment(file('//')),
    ]).toEqual([false, false, false]);
  });

  test('is not a barrel', () => {
    expect(pathsOf(sourceFiles('server', 'console').filter(isCode).filter(isBarrel))).toEqual([]);
    expect(isBarrel(file("// All tasks.\nexport * from './a.ts';\nexport { b, type C } from './b.ts';\n"))).toBe(true);
    expect(isBarrel(file("export { b } from './b.ts';\nexport const c = 1;\n"))).toBe(false);
  });
});

describe('a tool', () => {
  const operations = sourceFiles('server/operations').filter(({ text }) => /\boperation\(\{/.test(text));
  const kebab = (wireName: string): string => wireName.replaceAll('_', '-');
  const camel = (wireName: string): string =>
    wireName.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

  test('called send_task lives in send-task.ts and is called sendTask', () => {
    expect([kebab('send_task'), camel('send_task'), camel('get_all_status')]).toEqual([
      'send-task',
      'sendTask',
      'getAllStatus',
    ]);
    expect(TOOLS.length).toBeGreaterThan(10);
  });

  test.each(TOOLS.map(({ operation }) => [operation.name, operation] as const))(
    '%s is exported by its file under its name',
    async (name, operation) => {
      const files = operations.filter(({ path }) => path.endsWith(`/${kebab(name)}.ts`));
      expect(files).toHaveLength(1);
      const exported = await import(new URL(`../../${files[0]?.path}`, import.meta.url).pathname);
      expect(exported[camel(name)]).toBe(operation);
      expect(Object.keys(exported)).toContain(camel(name));
    },
  );
});
