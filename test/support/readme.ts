// The blocks of README.md as a reader would paste them: a test that runs them keeps them true.
import { readFileSync } from 'node:fs';

export type ReadmeBlock = { language: string; text: string };

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The fenced blocks under this heading and the smaller ones below it, in their order. */
export function readmeBlocks(heading: string, language?: string): ReadmeBlock[] {
  return blocksIn(sectionOf(README, heading)).filter((block) => language === undefined || block.language === language);
}

/** The only one of its language under this heading. */
export function readmeBlock(heading: string, language: string): string {
  const [block, ...others] = readmeBlocks(heading, language);
  if (block === undefined || others.length > 0) throw new Error(`README.md has not one ${language} block under "${heading}" but ${block === undefined ? 0 : others.length + 1}`);
  return block.text;
}

/** From the heading to the next of its size or larger; a `#` inside a block is none. */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const inBlock = (index: number): boolean => lines.slice(0, index).filter((line) => line.startsWith('```')).length % 2 === 1;
  const sizeOf = (index: number): number => (inBlock(index) ? 0 : (/^#+(?= )/.exec(lines[index] ?? '')?.[0].length ?? 0));
  const start = lines.findIndex((line, index) => sizeOf(index) > 0 && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`README.md has no heading "${heading}"`);
  const end = lines.findIndex((_, index) => index > start && sizeOf(index) > 0 && sizeOf(index) <= sizeOf(start));
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

export function blocksIn(section: string): ReadmeBlock[] {
  return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
}
