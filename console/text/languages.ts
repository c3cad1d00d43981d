// Splits code into parts with a role, such as keyword or string, for the languages that agents use.
import { type ParseOptions, SugarHigh, tokenize } from 'sugar-high/core';
import * as go from 'sugar-high/lang/go';
import * as json from 'sugar-high/lang/json';
import * as python from 'sugar-high/lang/python';
import * as rust from 'sugar-high/lang/rust';
import * as shell from 'sugar-high/lang/shell';
import * as sql from 'sugar-high/lang/sql';
import * as yaml from 'sugar-high/lang/yaml';

/** A string ends with its line, so that an apostrophe in the text of an element does not color all that follows. */
const QUOTED = /(["'])(?:\\.|(?!\1)[^\\\n]){0,1000}\1/y;
/** Where a value may start, a slash starts a regular expression. */
const EXPRESSION =
  /(?<=[(,=:[!&|?{};>]\s{0,9}|return\s)\/(?:\\.|\[(?:\\.|[^\]\\\n]){0,99}\]|[^/\\\n[]){1,200}\/[a-z]*/y;

/** The package has a scanner for TypeScript too, but it takes quadratic time and as many bytes as all else here. */
const typescript: ParseOptions = {
  onCommentStart: json.onCommentStart,
  onCommentEnd: json.onCommentEnd,
  onLiteral: (curr, index, code) => {
    const literal = curr === '/' ? EXPRESSION : QUOTED;
    if (curr !== '/' && curr !== '"' && curr !== "'") return undefined;
    literal.lastIndex = index;
    return literal.exec(code)?.[0].length ?? (curr === '/' ? undefined : 1);
  },
  templateStrings: true,
  keywords: new Set(
    (
      'abstract as async await break case catch class const continue debugger declare default delete do else enum ' +
      'export extends false finally for from function get if implements import in instanceof interface is keyof let ' +
      'namespace new null of override private protected public readonly return satisfies set static super switch ' +
      'this throw true try type typeof undefined var void while with yield'
    ).split(' '),
  ),
};

const LANGUAGES: readonly (readonly [names: string, language: ParseOptions])[] = [
  ['ts typescript tsx js javascript jsx mjs cjs', typescript],
  ['json jsonc json5', json],
  ['sh bash shell zsh console', shell],
  ['py python', python],
  ['yaml yml toml', yaml],
  ['sql sqlite postgresql', sql],
  ['go golang', go],
  ['rs rust', rust],
];
const BY_NAME = new Map(LANGUAGES.flatMap(([names, language]) => names.split(' ').map((name) => [name, language])));

/** More spans would make the page slow. */
const MAX_CHARACTERS = 20_000;
const WITH_ROLE = new Set(['keyword', 'string', 'class', 'property', 'entity', 'comment']);

export type CodePart = { text: string; role: string | undefined };

/** Undefined if the language is unknown or the code is long. */
export function codeParts(code: string, language: string): CodePart[] | undefined {
  const known = BY_NAME.get(language);
  if (known === undefined || code.length > MAX_CHARACTERS) return undefined;
  const parts: CodePart[] = [];
  for (const [type, text] of tokenize(code, known)) append(parts, text, SugarHigh.TokenTypes[type] ?? '');
  return parts;
}

/** Neighbors without a role become one part. */
function append(parts: CodePart[], text: string, type: string): void {
  const role = WITH_ROLE.has(type) ? type : undefined;
  const last = parts.at(-1);
  if (last !== undefined && last.role === undefined && role === undefined) last.text += text;
  else parts.push({ text, role });
}
