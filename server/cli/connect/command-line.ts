// The command lines that `connect --hooks` writes into hook files. They end with the agent and its hub, so that they
// can be found again.
import { HOOK_NAMES } from '../../domain/clients/clients.ts';
import type { Agent } from '../../domain/clients/setup.ts';
import { PLAIN_WORD, shellWord } from '../../domain/text/shell-word.ts';
import { thisProgram } from '../this-program.ts';

/** A command of this program, as a line for a shell. */
export function commandLine(words: readonly string[], { url, alias }: Agent, program = thisProgram()): string {
  return [...program, ...words, '--alias', alias, '--url', url].map(shellWord).join(' ');
}

const WORD = String.raw`(?:${PLAIN_WORD}|'(?:[^']|'\\'')*')`;
const END = new RegExp(`--alias (${WORD}) --url (${WORD})$`);
/** agenthub at any path, or Node with the main file of its sources. */
const PROGRAM = [
  String.raw`(?:[\w./:@=-]*[/\\])?agenthub[\w.-]*`,
  String.raw`'(?:[^']|'\\'')*[/\\]agenthub[\w.-]*'`,
  String.raw`(?:[\w./:@=-]*/)?node(?: --[\w=./:-]+)* (?:[\w./:@=-]*/main\.ts|'(?:[^']|'\\'')*/main\.ts')`,
].join('|');
/** Earlier versions wrote lines without an address. */
const WORDS = `(?:hook (?:${HOOK_NAMES.join('|')})|wake(?: --exec ${WORD})?) --alias ${WORD}(?: --url ${WORD})?`;

/** The agent of a line by `commandLine`; undefined for any other text. */
export function agentIn(line: string): Agent | undefined {
  const [, alias, url] = END.exec(line) ?? [];
  return alias === undefined || url === undefined ? undefined : { alias: unquoted(alias), url: unquoted(url) };
}

function unquoted(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word;
}

/** Whether `connect --hooks` wrote the whole line, in any version. */
export function isOwnLine(line: string, program = thisProgram()): boolean {
  const names = `${PROGRAM}|${RegExp.escape(program.map(shellWord).join(' '))}`;
  return new RegExp(`^(?:${names}) ${WORDS}$`).test(line);
}
