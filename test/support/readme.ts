// The blocks of the documents as a reader pastes them: a test that runs them keeps them true.
import { readFileSync } from 'node:fs';

export type ReadmeBlock = { language: string; text: string };

const NAMES = ['README.md', 'server/OPERATING.md', 'server/REFERENCE.md', '.github/CONTRIBUTING.md'];

/** All documents with blocks. A heading is in only one of them. */
export const DOCUMENTS = NAMES.map((name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')).join(
  '\n',
);

/** The fenced blocks under this heading and its subheadings, in order. */
export function readmeBlocks(heading: string, language?: string): ReadmeBlock[] {
  return blocksIn(sectionOf(DOCUMENTS, heading)).filter(
    (block) => language === undefined || block.language === language,
  );
}

/** The only block of its language under this heading. */
export function readmeBlock(heading: string, language: string): string {
  const [block, ...others] = readmeBlocks(heading, language);
  if (block === undefined || others.length > 0)
    throw new Error(
      `the documents have not one ${language} block under "${heading}" but ${block === undefined ? 0 : others.length + 1}`,
    );
  return block.text;
}

/** From the heading to the next one of its level or higher. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const sizes = headingSizes(lines);
  const start = lines.findIndex((line, index) => sizes[index] !== 0 && nameIn(line) === heading);
  const size = sizes[start];
  if (size === undefined) throw new Error(`no document has the heading "${heading}"`);
  const end = sizes.findIndex((each, index) => index > start && each > 0 && each <= size);
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** In order, of any level. */
export function headingsOf(text: string): string[] {
  const lines = text.split('\n');
  const sizes = headingSizes(lines);
  return lines.filter((_, index) => sizes[index] !== 0).map(nameIn);
}

/** The heading level of each line, 0 for other lines. A `#` inside a block begins a comment. */
function headingSizes(lines: readonly string[]): number[] {
  let isInBlock = false;
  return lines.map((line) => {
    if (line.startsWith('```')) isInBlock = !isInBlock;
    return isInBlock ? 0 : (/^#+(?= )/.exec(line)?.[0].length ?? 0);
  });
}

function nameIn(line: string): string {
  return line.replace(/^#+ /, '');
}

export function blocksIn(section: string): ReadmeBlock[] {
  return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
}
