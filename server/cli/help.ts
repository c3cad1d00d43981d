// The layout of help texts: lines of at most 80 columns, or of the width of the terminal. A long term is on a line
// without its description, which follows below.
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { padTo, terminalWidth, widthOf, wrapped } from './text-width.ts';

const PIPE_COLUMNS = 80;
const MIN_COLUMNS = 60;
const MAX_COLUMNS = 100;
/** A longer term would leave too little room for the descriptions. */
const MAX_TERM_COLUMNS = 26;
/** The longest name of an environment variable has 34. */
const MIN_DESCRIPTION_COLUMNS = 36;
const INDENT = '  ';
/** A line is not broken here. */
export const FIXED_SPACE = '\u00a0';

/** In a pipe, and on a terminal that reports no width, 80. */
export function helpColumns(terminal: number | undefined): number {
  return terminal === undefined ? PIPE_COLUMNS : Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, terminal));
}

function ownColumns(): number {
  return helpColumns(process.stdout.isTTY ? terminalWidth() : undefined);
}

export const HELP_LAYOUT: HelpConfiguration = {
  visibleCommands,
  subcommandTerm,
  optionDescription: optionText,
  padWidth,
  formatItem: (term, termColumns, description) => item(term, description, { termColumns, columns: ownColumns() }),
  boxWrap: (text) => wrapped(text, ownColumns()).join('\n'),
};

/** The program lists each command of a family with short forms, and the other families by their names. */
function visibleCommands(this: Help, command: Command): Command[] {
  const visible = Help.prototype.visibleCommands.call(this, command);
  return command.parent === null ? visible.flatMap((each) => (hasShortForms(each) ? each.commands : each)) : visible;
}

/** Only a command with a short form has a summary. */
function hasShortForms({ commands }: Command): boolean {
  return commands.some((command) => command.summary() !== '');
}

function subcommandTerm(command: Command): string {
  const parameters = command.registeredArguments.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`;
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [...wordsOf(command), ...parameters].join(' ');
}

/** Without the name of the program. */
function wordsOf(command: Command): string[] {
  const { parent } = command;
  return parent === null || parent.parent === null ? [command.name()] : [parent.name(), command.name()];
}

/** The description of an option, with its choices and its default. */
export function optionText({ description, argChoices, defaultValue }: Option): string {
  const facts = [
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(', ')}`]),
    ...(defaultValue === undefined ? [] : [`default: ${String(defaultValue)}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

function padWidth(command: Command, helper: Help): number {
  const terms = [
    ...helper.visibleOptions(command).map((option) => helper.optionTerm(option)),
    ...helper.visibleCommands(command).map((each) => helper.subcommandTerm(each)),
  ];
  const max = Math.min(MAX_TERM_COLUMNS, ownColumns() - MIN_DESCRIPTION_COLUMNS - 2 * INDENT.length);
  return Math.max(0, ...terms.map(widthOf).filter((columns) => columns <= max));
}

/** A line of a list, such as that of the exit codes. */
export function listed(term: string, description: string): string {
  return item(term, description, { termColumns: widthOf(term), columns: ownColumns() });
}

type Columns = { termColumns: number; columns: number };

function item(term: string, description: string, { termColumns, columns }: Columns): string {
  const indent = ' '.repeat(INDENT.length + termColumns + INDENT.length);
  const lines = wrapped(description, columns - indent.length).map((line) =>
    `${indent}${line}`.replaceAll(FIXED_SPACE, ' '),
  );
  if (widthOf(term) > termColumns) return [`${INDENT}${term}`, ...lines].join('\n');
  return `${INDENT}${padTo(term, termColumns)}${lines.join('\n').slice(INDENT.length + termColumns)}`;
}

type Details = { notes?: string | undefined; short?: string | undefined; examples: readonly string[] };

/** The part after the options. Line breaks in notes are only for the reader of the source; an empty line remains. */
export function details({ notes, short, examples }: Details, columns = ownColumns()): string {
  const paragraphs = [
    ...(notes === undefined ? [] : paragraphsOf(notes)),
    ...(short === undefined ? [] : [`Short form: agenthub ${short}`]),
  ];
  const text = paragraphs.map((each) => `\n${wrapped(each, columns).join('\n')}\n`).join('');
  return `${text}\nExamples:\n${examples.flatMap((each) => exampleLines(each, columns)).join('\n')}`;
}

export function paragraphsOf(notes: string): string[] {
  return notes.split('\n\n').map((paragraph) => paragraph.replaceAll('\n', ' '));
}

/** An example is broken where a shell continues it. An explanation that does not fit is below its example. */
export function exampleLines(example: string, columns: number): string[] {
  if (widthOf(example) <= columns - INDENT.length) return [`${INDENT}${example}`];
  const [command = '', explanation] = example.split(/ {2,}(?=\S)/);
  return [
    ...commandLines(command, columns - INDENT.length).map((line) => `${INDENT}${line}`),
    ...(explanation === undefined ? [] : wrapped(explanation, columns - 6).map((line) => `      ${line}`)),
  ];
}

/** Words with their quoted parts. */
const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"])+/g;
const OPERATOR = /(^| )(\||\|\||&&)$/;

function commandLines(command: string, columns: number): string[] {
  const lines: string[] = [];
  for (const part of partsOf(command)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(continued(`${last} ${part}`)) <= columns)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : `    ${part}`);
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : continued(line)));
}

function continued(line: string): string {
  return OPERATOR.test(line) ? line : `${line} \\`;
}

/** The places where a line may end: before an option, and after an operator of the shell. */
function partsOf(command: string): string[] {
  const parts: string[] = [];
  for (const word of command.match(WORD) ?? []) {
    const last = parts.at(-1);
    const begins = last === undefined || /^(--\w|>)/.test(word) || OPERATOR.test(last);
    if (begins) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  return parts;
}
