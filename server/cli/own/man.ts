// man: prints the manual page in roff, generated from the tables of commands.
import type { Command, Option } from 'commander';
import { VERSION } from '../../version.ts';
import { HUB_OPTIONS } from '../client/access/hub-options.ts';
import { HEADINGS, type NamedRow } from '../commands.ts';
import { EXIT_MEANINGS } from '../exit-codes.ts';
import { optionText, paragraphsOf } from '../help.ts';
import { keyOptions } from '../key-options.ts';
import { sayExact } from '../output.ts';
import { EXAMPLES } from '../program.ts';

export async function man(_options: object, own: Command): Promise<void> {
  sayExact(manualPage((own.parent ?? own).description()));
}

/** Options that many commands take. The page has them once, in a section. */
const SHARED: readonly { section: string; options: readonly Option[] }[] = [
  { section: 'CONFIGURATION', options: keyOptions() },
  { section: 'OPTIONS FOR THE HUB', options: HUB_OPTIONS },
];

function manualPage(description: string): string {
  return [
    `.TH AGENTHUB 1 "" "agenthub ${text(VERSION)}" "User Commands"`,
    '.ad l',
    '.nh',
    '.SH NAME',
    'agenthub \\- coordination hub for software agents',
    '.SH SYNOPSIS',
    '.B agenthub',
    '.RI [ command ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    text(description),
    '.SH COMMANDS',
    ...HEADINGS.flatMap(([heading, rows]) => [`.SS "${text(heading.replace(/:$/, ''))}"`, ...rows.flatMap(commandOf)]),
    ...SHARED.flatMap(({ section, options }) => [`.SH "${section}"`, ...options.flatMap(optionOf)]),
    '.SH EXIT STATUS',
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, text(meaning)]),
    '.SH EXAMPLES',
    ...verbatim(EXAMPLES),
  ].join('\n');
}

function commandOf({ words, short, parameters, about, options = [], notes, examples }: NamedRow): string[] {
  const shared = SHARED.filter((each) => each.options.every((option) => options.some((own) => isSame(own, option))));
  const isShared = (option: Option) => shared.some((each) => each.options.some((other) => isSame(other, option)));
  return [
    '.TP',
    `${bold(`agenthub ${words}`)}${parameters === undefined ? '' : ` ${italic(parameters)}`}`,
    text(about),
    '.RS',
    ...options.filter((option) => !option.hidden && !isShared(option)).flatMap(optionOf),
    ...shared.flatMap(({ section }) => ['.PP', text(`Takes the options in ${section}.`)]),
    ...(short === undefined ? [] : ['.PP', `Short form: ${bold(`agenthub ${short}`)}`]),
    ...(notes === undefined ? [] : paragraphsOf(notes).flatMap((paragraph) => ['.PP', text(paragraph)])),
    '.PP',
    ...verbatim(examples),
    '.RE',
  ];
}

function isSame(one: Option, other: Option): boolean {
  return one.flags === other.flags && one.description === other.description;
}

function optionOf(option: Option): string[] {
  return ['.TP', bold(option.flags), text(optionText(option))];
}

function verbatim(lines: readonly string[]): string[] {
  return ['.nf', ...lines.map(text), '.fi'];
}

function bold(words: string): string {
  return `\\fB${text(words)}\\fR`;
}

function italic(words: string): string {
  return `\\fI${text(words)}\\fR`;
}

/** Escapes text so that roff prints each character as it is: no requests, no typographic hyphens and quotes. */
function text(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replace(/[-'`^~"]/g, (mark) => ESCAPED[mark] ?? mark)
    .replace(/[^ -~]/gu, (symbol) => `\\[u${(symbol.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
    .replace(/^\./, '\\&.');
}

const ESCAPED: Readonly<Record<string, string>> = {
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};
