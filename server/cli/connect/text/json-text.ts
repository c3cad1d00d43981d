// Changes one value in the text of a JSON file that a person maintains. Comments, order, spacing and trailing commas
// are kept. It accepts the same input as editors: JSON with comments. jsonc-parser finds the places; its own edits
// would put the neighbors of a value on other lines.
import { getNodeValue, type Node, type ParseError, parse as parseLenient, parseTree } from 'jsonc-parser';

export type JsonPath = readonly (string | number)[];

/** The text is not valid JSON, or the path does not fit its structure. */
export class JsonSyntaxError extends Error {}

/** Parses the text. One that is empty, or has only comments, counts as `{}`. */
export function readJson(text: string): unknown {
  return valueOf(parse(withContent(text)));
}

/** What can be read of a text that may be invalid. */
export function readLenient(text: string): unknown {
  return parseLenient(text);
}

/** Returns a member of the value, or undefined if the value is not an object. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

/** Sets the value at the path and returns the text. Creates missing parents. An index may be one past the last item. */
export function setInJson(text: string, path: JsonPath, value: unknown): string {
  const whole = withContent(text);
  const { node, rest } = descend(parse(whole), path);
  const style = styleOf(whole);
  if (rest.length === 0 && JSON.stringify(valueOf(node)) === JSON.stringify(value)) return whole;
  if (rest.length === 0) return splice(whole, node.offset, endOf(node), written(value, indentAt(whole, node), style));
  const [step, ...deeper] = rest;
  const nested = deeper.reduceRight<unknown>(
    (inside, key) => (typeof key === 'number' ? [inside] : { [key]: inside }),
    value,
  );
  return insert(whole, node, step ?? '', nested, style);
}

/**
 * Removes the value at the path, and parents that become empty and may be removed. Comments next to them are kept, with
 * the parent that contains them. Returns the text unchanged if there is no such value.
 */
export function removeFromJson(
  text: string,
  path: JsonPath,
  mayRemove: (parent: JsonPath) => boolean = () => true,
): string {
  const whole = withContent(text);
  const root = parse(whole);
  for (let depth = path.length; depth > 0; depth--) {
    const { node, rest } = descend(root, path.slice(0, depth));
    if (rest.length > 0) return whole;
    const parent = path.slice(0, depth - 1);
    const { node: container } = descend(root, parent);
    const siblings = container.children ?? [];
    const own = siblings.findIndex((child) => child === node || child.children?.includes(node));
    if (siblings.length > 1 || depth === 1 || !mayRemove(parent) || hasComment(aroundOnly(whole, container)))
      return without(whole, container, own);
  }
  return whole;
}

function without(text: string, container: Node, index: number): string {
  const siblings = container.children ?? [];
  const [before, own, after] = [siblings[index - 1], siblings[index], siblings[index + 1]];
  if (own === undefined) return text;
  if (before === undefined && after === undefined) return withoutOnly(text, container, own);
  const comma = commaAfter(text, own);
  if (before === undefined && after !== undefined)
    return hasComment(text.slice(endOf(own), after.offset))
      ? splice(text, own.offset, comma, '')
      : splice(text, own.offset, after.offset, '');
  if (before === undefined || !hasComment(text.slice(endOf(before), own.offset)))
    return splice(text, before === undefined ? own.offset : endOf(before), endOf(own), '');
  if (comma > endOf(own)) return splice(text, own.offset, comma, '');
  const left = splice(text, own.offset, endOf(own), '');
  return splice(left, commaAfter(text, before) - 1, commaAfter(text, before), '');
}

function withoutOnly(text: string, container: Node, own: Node): string {
  const [start, end] = [container.offset + 1, endOf(container) - 1];
  if (!hasComment(aroundOnly(text, container))) return splice(text, start, end, '');
  const after = text.slice(Math.max(endOf(own), commaAfter(text, own)), end);
  return splice(text, start, end, text.slice(start, own.offset).trimEnd() + after);
}

/** The text of a container next to its only child. */
function aroundOnly(text: string, container: Node): string {
  const [own] = container.children ?? [];
  if (own === undefined) return text.slice(container.offset + 1, endOf(container) - 1);
  return text.slice(container.offset + 1, own.offset) + text.slice(endOf(own), endOf(container) - 1);
}

/** Between values there are only blanks, commas and comments. */
function hasComment(between: string): boolean {
  return between.includes('/');
}

/** The position after the comma that follows the node, or the end of the node if there is none. */
function commaAfter(text: string, node: Node): number {
  const comma = skipBlank(text, endOf(node));
  return text[comma] === ',' ? comma + 1 : endOf(node);
}

const BYTE_ORDER_MARK = /^\ufeff/;

function withContent(text: string): string {
  if (text.trim() === '') return '{}\n';
  if (skipBlank(text, 0) < text.length) return text;
  const { newline } = styleOf(text);
  return `${text}${text.endsWith('\n') ? '' : newline}{}${newline}`;
}

function parse(text: string): Node {
  const errors: ParseError[] = [];
  // The parser rejects the mark; a blank in its place keeps the positions.
  const tree = parseTree(text.replace(BYTE_ORDER_MARK, ' '), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || tree === undefined) throw unexpected(text, error?.offset ?? 0);
  return tree;
}

/** Plain objects, in which the last of two members with one key counts, as in JSON.parse. */
function valueOf(node: Node): unknown {
  const value: unknown = getNodeValue(node);
  return JSON.parse(JSON.stringify(value));
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function descend(root: Node, path: JsonPath): { node: Node; rest: JsonPath } {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const next = childOf(node, step, path.slice(0, depth));
    if (next === undefined) return { node, rest: path.slice(depth) };
    node = next;
  }
  return { node, rest: [] };
}

// If a key occurs twice, the last one counts, as in JSON.parse.
function childOf({ type, children = [] }: Node, step: string | number, path: JsonPath): Node | undefined {
  if (type === 'object' && typeof step === 'string')
    return children.findLast((member) => member.children?.[0]?.value === step)?.children?.[1];
  if (type === 'array' && typeof step === 'number') return children[step];
  const [place, expected] = [path.join('.') || 'its content', typeof step === 'string' ? 'an object' : 'a list'];
  throw new JsonSyntaxError(`${place} must be ${expected}, but is ${NAMES[type]}`);
}

/** A property is inside an object, and never the value at a path. */
const NAMES: Readonly<Record<Node['type'], string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
  property: 'a member',
};

type Style = { unit: string; newline: string };

function styleOf(text: string): Style {
  return { unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

function indentAt(text: string, { offset }: Node): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function written(value: unknown, indent: string, { unit, newline }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + indent);
}

function insert(text: string, node: Node, step: string | number, value: unknown, style: Style): string {
  const label = node.type === 'object' ? `${JSON.stringify(step)}: ` : '';
  const last = node.children?.at(-1);
  const indent = indentAt(text, node);
  if (last === undefined) {
    const inner = indent + style.unit;
    const body = `${style.newline}${inner}${label}${written(value, inner, style)}${style.newline}${indent}`;
    const inside = text.slice(node.offset + 1, endOf(node) - 1);
    return splice(text, node.offset + 1, endOf(node) - 1, inside.trimEnd() + body);
  }
  const isOnOneLine = !text.slice(node.offset, endOf(node)).includes('\n');
  const comma = skipBlank(text, endOf(last));
  const hasTrailingComma = text[comma] === ',';
  const place = hasTrailingComma ? comma + 1 : endOf(last);
  const before = hasTrailingComma ? '' : ',';
  if (isOnOneLine) return splice(text, place, place, `${before} ${label}${JSON.stringify(value)}`);
  const sibling = indentAt(text, last);
  return splice(text, place, place, `${before}${style.newline}${sibling}${label}${written(value, sibling, style)}`);
}

function splice(text: string, start: number, end: number, inside: string): string {
  return text.slice(0, start) + inside + text.slice(end);
}

/** Returns the position after whitespace and comments. */
function skipBlank(text: string, from: number): number {
  const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

function unexpected(text: string, position: number): JsonSyntaxError {
  const line = text.slice(0, position).split('\n').length;
  return new JsonSyntaxError(
    position >= text.length
      ? 'unexpected end of file'
      : `line ${line} has an unexpected ${JSON.stringify(text[position])}`,
  );
}
