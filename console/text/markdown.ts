// Parses Markdown into the tree of tree.ts. HTML, images and link references stay text. A text that would take long to
// parse or to render becomes a single paragraph.
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens } from 'marked';
import type { Block, Cell, Inline, Item } from './tree.ts';

/** Parsing takes quadratic time at worst: 150 ms for 10,000 characters, 500 ms for these. */
const MAX_CHARACTERS = 20_000;
/** Deeper text is shown as it was written. */
const MAX_DEPTH = 16;
/** The parser fills every row up to the width of the head, so a few characters could become a million cells. */
const MAX_CELLS = 4_000;

/** A line that opens more levels at once than `MAX_DEPTH`; thousands of them would exhaust the stack of the parser. */
const TOO_DEEP = new RegExp(String.raw`^[ \t]*(?:(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])[ \t]*){${MAX_DEPTH}}`, 'm');
const TABLE_START = /^(?=[^\n]*\|)[^\n]*\n[ \t|:-]+(?:\n|$)/;
const BLANK_LINE = /\n[ \t]*(?:\n|$)/;
/** Only ASCII, so that a link ends before Chinese text, and letters that look like others cannot hide in it. */
const BARE_LINK = /^https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/i;
const AFTER_LINK = new Set(".,;:!?']*_~");

export function parseMarkdown(text: string): Block[] {
  const plain: Block[] = [{ kind: 'paragraph', children: [text] }];
  if (text.length > MAX_CHARACTERS || TOO_DEEP.test(text)) return plain;
  try {
    return blocksIn(new Lexer({ gfm: true, tokenizer: new InertTokenizer() }).lex(text), 0);
  } catch {
    // The parser is recursive. A text that is too deep for it is still readable as it was written.
    return plain;
  }
}

class InertTokenizer extends Tokenizer {
  override html(): undefined {}
  override tag(): undefined {}
  override def(): undefined {}
  override reflink(): undefined {}
  override autolink(): undefined {}

  override table(source: string): Tokens.Table | undefined {
    return TABLE_START.test(source) && maxCells(source) <= MAX_CELLS ? super.table(source) : undefined;
  }

  override url(source: string): Tokens.Link | undefined {
    const [found] = BARE_LINK.exec(source) ?? [];
    if (found === undefined) return undefined;
    const raw = withoutPunctuation(found);
    return { type: 'link', raw, href: raw, text: raw, tokens: [{ type: 'text', raw, text: raw }] };
  }
}

/** A table ends at a blank line, if not before. */
function maxCells(source: string): number {
  const [table = ''] = source.split(BLANK_LINE, 1);
  const [head = '', ...rows] = table.split('\n');
  return head.split('|').length * rows.length;
}

/** A closing parenthesis belongs to the link only if the link opened it. */
function withoutPunctuation(link: string): string {
  let unopened = link.split(')').length - link.split('(').length;
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!AFTER_LINK.has(last)) break;
  }
  return link.slice(0, end);
}

/** `InertTokenizer` adds no types of tokens to those of the parser. */
const known = (tokens: Token[] | undefined) => (tokens ?? []) as MarkedToken[];

function blocksIn(tokens: Token[] | undefined, depth: number): Block[] {
  return known(tokens).flatMap((token) => blockOf(token, depth) ?? []);
}

function blockOf(token: MarkedToken, depth: number): Block | undefined {
  if (token.type === 'space' || token.type === 'checkbox') return undefined;
  if (depth >= MAX_DEPTH) return { kind: 'paragraph', children: [token.raw] };
  switch (token.type) {
    case 'heading':
      return { kind: 'heading', depth: token.depth, children: inlineIn(token.tokens, depth) };
    case 'blockquote':
      return { kind: 'quote', children: blocksIn(token.tokens, depth + 1) };
    case 'list':
      return { kind: 'list', start: startOf(token), items: token.items.map((item) => itemOf(item, depth + 1)) };
    case 'table':
      return { kind: 'table', head: cellsOf(token.header), rows: token.rows.map(cellsOf) };
    case 'code':
      return { kind: 'code', language: languageOf(token), text: token.text };
    case 'hr':
      return { kind: 'rule' };
    case 'paragraph':
    case 'text':
      return { kind: 'paragraph', children: token.tokens ? inlineIn(token.tokens, depth) : [token.text] };
    default:
      return { kind: 'paragraph', children: [token.raw] };
  }
}

const startOf = ({ ordered, start }: Tokens.List) => (ordered ? Number(start) : undefined);

function itemOf({ task, checked, tokens }: Tokens.ListItem, depth: number): Item {
  return { done: task ? checked === true : undefined, children: blocksIn(tokens, depth) };
}

function cellsOf(cells: Tokens.TableCell[]): Cell[] {
  return cells.map(({ align, tokens }) => ({ align, children: inlineIn(tokens, 0) }));
}

/** The first word after the fence. */
const languageOf = ({ lang = '' }: Tokens.Code) => /^[\w+#.-]*/.exec(lang)?.[0].toLowerCase() ?? '';

const STYLES = { strong: 'strong', em: 'emphasis', del: 'deleted' } as const;

function inlineIn(tokens: Token[] | undefined, depth: number): Inline[] {
  return known(tokens).map((token) => inlineOf(token, depth + 1));
}

function inlineOf(token: MarkedToken, depth: number): Inline {
  if (depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return { kind: STYLES[token.type], children: inlineIn(token.tokens, depth) };
    case 'codespan':
      return { kind: 'code', text: token.text };
    case 'link':
    case 'image':
      return { kind: 'link', target: token.href, children: labelOf(token, depth) };
    case 'br':
      return '\n';
    case 'checkbox':
      return '';
    case 'text':
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

/** An image is a link that nothing loads. */
function labelOf(token: Tokens.Link | Tokens.Image, depth: number): Inline[] {
  return token.type === 'link' ? inlineIn(token.tokens, depth) : [token.text];
}
