import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Lexer } from 'marked';
import { expect, test } from 'vitest';
import { withLexerOnly } from '../../build/lexer-only.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

const TEXT = '# Title\n\n- [x] done\n- **open**\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n```ts\nlet n = 1;\n```';

test('the lexer of marked parses alone as it does in the package', async () => {
  const source = await readFile(fileURLToPath(import.meta.resolve('marked')), 'utf8');
  const alone = withLexerOnly(source);
  const file = join(temporaryDirectory(), 'lexer.mjs');
  await writeFile(file, alone);
  const { Lexer: Alone, ...others }: { Lexer: typeof Lexer } = await import(pathToFileURL(file).href);
  expect(Object.keys(others)).toEqual(['Tokenizer']);
  expect(new Alone({ gfm: true }).lex(TEXT)).toEqual(new Lexer({ gfm: true }).lex(TEXT));
});

test('a version of marked that is written differently fails the build', () => {
  expect(() => withLexerOnly('export { Lexer, Tokenizer }')).toThrow('adapt build/lexer-only.ts');
});
