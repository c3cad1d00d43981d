// The command lines that `connect --hooks` writes into hook files. They end with the agent and its hub, so that they can
// be found again.
import { thisProgram } from '../this-program.ts';
import type { Connection } from './clients.ts';

export type Agent = Pick<Connection, 'url' | 'alias'>;

/** A command of this program, as a line for a shell. */
export function commandLine(words: readonly string[], { url, alias }: Agent, program = thisProgram()): string {
  return [...program, ...words, '--alias', alias, '--url', url].map(shellWord).join(' ');
}

const PLAIN = String.raw`[\w./:@=-]+`;
const IS_PLAIN = new RegExp(`^${PLAIN}$`);
const WORD = String.raw`(${PLAIN}|'(?:[^']|'\\'')*')`;
const END = new RegExp(`--alias ${WORD} --url ${WORD}$`);

export function shellWord(word: string): string {
  return IS_PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The agent of a line by `commandLine`; undefined for any other text. */
export function agentIn(line: string): Agent | undefined {
  const [, alias, url] = END.exec(line) ?? [];
  return alias === undefined || url === undefined ? undefined : { alias: unquoted(alias), url: unquoted(url) };
}

function unquoted(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word;
}
