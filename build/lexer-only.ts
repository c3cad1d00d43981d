// Leaves only the lexer of marked in the bundle. The module creates an instance of everything at its end, which keeps
// its parser and renderer, a fifth of the package that the console never calls. The grammars of its options `pedantic`
// and `breaks` are not used either.
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Where the module starts to create that instance. */
const INSTANCE = /var (\w+)=new \w+;function \w+\([\w,]*\)\{return \1\.parse\(/;
const UNUSED = ['pedantic', 'breaks'];
const CHANGED = 'this version of marked is written differently: adapt build/lexer-only.ts';
const EXPORTS = /export\{([^}]*)\}/;

export const lexerOnly: Plugin = {
  name: 'lexer-only',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]marked\.esm\.js$/ }, async ({ path }) => ({
      contents: withLexerOnly(await readFile(path, 'utf8')),
    })),
};

export function withLexerOnly(source: string): string {
  const start = INSTANCE.exec(source)?.index;
  const exported = EXPORTS.exec(source)?.[1]?.split(',') ?? [];
  const kept = exported.filter((each) => / as (?:Lexer|Tokenizer)$/.test(each));
  if (start === undefined || kept.length !== 2) throw new Error(CHANGED);
  const lexer = UNUSED.reduce(withoutOption, source.slice(0, start));
  return `${lexer}export{${kept.join(',')}}`;
}

function withoutOption(source: string, option: string): string {
  const grammars = [...source.matchAll(new RegExp(`,${option}:(\\w+)`, 'g'))].map(([, name]) => name ?? '');
  const definitions = grammars.map((name) => new RegExp(`\\b${name}=\\{\\.\\.\\.[^]*?\\.getRegex\\(\\)\\}`));
  if (grammars.length === 0 || !definitions.every((each) => each.test(source))) throw new Error(CHANGED);
  const left = definitions.reduce((text, each, n) => text.replace(each, `${grammars[n]}={}`), source);
  return left.replaceAll(`this.options.${option}`, 'false');
}
