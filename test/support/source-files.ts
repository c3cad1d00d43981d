// The source files of the repository, for rules about the text itself.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_OURS = new Set(['node_modules', 'dist', 'agenthub-data', '.git']);
const TEXT = /(\.(ts|tsx|js|mjs|json|sql|md|css|html|svg|yml|yaml|sh|txt)|LICENSE|\.gitignore|\.npmrc|\.ci\/run)$/;

export type SourceFile = {
  /** Relative to the repository root, with slashes. */
  path: string;
  text: string;
};

/** Every text file under these directories, or in the whole repository. */
export function sourceFiles(...directories: string[]): SourceFile[] {
  const paths = (directories.length === 0 ? [''] : directories).flatMap(pathsUnder);
  return paths
    .filter((path) => TEXT.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

function pathsUnder(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(directory, entry.name);
    if (NOT_OURS.has(entry.name)) return [];
    return entry.isDirectory() ? pathsUnder(path) : [path];
  });
}

export const isCode = ({ path }: SourceFile): boolean => /\.tsx?$/.test(path);

/** The code without its comments. A `//` inside a text is kept: before a comment there is a blank or nothing. */
export function withoutComments(text: string): string {
  return text.replace(/(^|[\s({,;])\/\*[\s\S]*?\*\//g, '$1').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** The code without comments and without quoted text. */
export function withoutTexts(text: string): string {
  return withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''");
}

export type Import = { from: string; isType: boolean };

/** What a module imports and re-exports. */
export function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const statements = [...code.matchAll(/\b(?:import|export)\s+(type\s+)?(?:[\w*{][^'";]*?\sfrom\s+)?'([^']+)'/g)];
  const calls = [...code.matchAll(/\b(?:import|require)\(\s*'([^']+)'/g)];
  return [
    ...statements.map(([, type, from = '']) => ({ from, isType: type !== undefined })),
    ...calls.map(([, from = '']) => ({ from, isType: false })),
  ];
}

/** The target of a relative import, relative to the repository root, or undefined for a package. */
export function targetOf(path: string, from: string): string | undefined {
  return from.startsWith('.') ? posix.join(posix.dirname(path), from) : undefined;
}
