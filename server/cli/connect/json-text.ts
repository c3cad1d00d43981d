// Changes one value in the text of a JSON file that a person maintains. Comments, order, spacing and trailing commas
// are kept. It accepts the same input as editors: JSON with comments.

export type JsonPath = readonly (string | number)[];

/** The text is not valid JSON, or the path does not fit its structure. */
export class JsonSyntaxError extends Error {}

type Span = { start: number; end: number; value: unknown };
type ObjectNode = Span & { kind: 'object'; members: { key: string; node: JsonNode }[]; hasTrailingComma: boolean };
type ArrayNode = Span & { kind: 'array'; items: JsonNode[]; hasTrailingComma: boolean };
type JsonNode = ObjectNode | ArrayNode | (Span & { kind: 'scalar' });

/** Parses the text. An empty text counts as `{}`. */
export function readJson(text: string): unknown {
  return parse(text).value;
}

/** Returns a member of the value, or undefined if the value is not an object. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

/** Sets the value at the path and returns the text. Creates missing parents. An index may be one past the last item. */
export function setInJson(text: string, path: JsonPath, value: unknown): string {
  const whole = text.trim() === '' ? '{}\n' : text;
  const { node, rest } = descend(parse(whole), path);
  const style = styleOf(whole);
  if (rest.length === 0 && JSON.stringify(node.value) === JSON.stringify(value)) return whole;
  if (rest.length === 0) return splice(whole, node.start, node.end, written(value, indentAt(whole, node.start), style));
  const [step, ...deeper] = rest;
  const nested = deeper.reduceRight<unknown>(
    (inside, key) => (typeof key === 'number' ? [inside] : { [key]: inside }),
    value,
  );
  return insert(whole, node, step ?? '', nested, style);
}

function descend(root: JsonNode, path: JsonPath): { node: JsonNode; rest: JsonPath } {
  let node = root;
  for (const [depth, step] of path.entries()) {
    const next = childOf(node, step);
    if (next === undefined) return { node, rest: path.slice(depth) };
    node = next;
  }
  return { node, rest: [] };
}

// If a key occurs twice, the last one counts, as in JSON.parse.
function childOf(node: JsonNode, step: string | number): JsonNode | undefined {
  if (node.kind === 'object' && typeof step === 'string') return node.members.findLast(({ key }) => key === step)?.node;
  if (node.kind === 'array' && typeof step === 'number') return node.items[step];
  throw new JsonSyntaxError(
    `"${step}" cannot be put into ${node.kind === 'scalar' ? 'a value that is not an object' : `an ${node.kind}`}`,
  );
}

type Style = { unit: string; newline: string };

function styleOf(text: string): Style {
  return { unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

function indentAt(text: string, position: number): string {
  const line = text.slice(text.lastIndexOf('\n', position - 1) + 1, position);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function written(value: unknown, indent: string, { unit, newline }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + indent);
}

function insert(text: string, node: JsonNode, step: string | number, value: unknown, style: Style): string {
  if (node.kind === 'scalar') throw new JsonSyntaxError(`"${step}" cannot be put into a value that is not an object`);
  const children = node.kind === 'object' ? node.members.map((member) => member.node) : node.items;
  const label = node.kind === 'object' ? `${JSON.stringify(step)}: ` : '';
  const last = children.at(-1);
  const indent = indentAt(text, node.start);
  const inner = indent + style.unit;
  if (last === undefined) {
    const body = `${style.newline}${inner}${label}${written(value, inner, style)}${style.newline}${indent}`;
    return splice(text, node.start + 1, node.end - 1, text.slice(node.start + 1, node.end - 1).trimEnd() + body);
  }
  const isOnOneLine = !text.slice(node.start, node.end).includes('\n');
  const place = node.hasTrailingComma ? skip(text, last.end) + 1 : last.end;
  const comma = node.hasTrailingComma ? '' : ',';
  if (isOnOneLine) return splice(text, place, place, `${comma} ${label}${JSON.stringify(value)}`);
  const sibling = indentAt(text, last.start);
  return splice(text, place, place, `${comma}${style.newline}${sibling}${label}${written(value, sibling, style)}`);
}

function splice(text: string, start: number, end: number, inside: string): string {
  return text.slice(0, start) + inside + text.slice(end);
}

function parse(text: string): JsonNode {
  if (text.trim() === '') return { kind: 'object', start: 0, end: 0, value: {}, members: [], hasTrailingComma: false };
  const node = parseValue(text, skip(text, text.startsWith('\ufeff') ? 1 : 0));
  const after = skip(text, node.end);
  if (after < text.length) throw unexpected(text, after);
  return node;
}

/** Returns the position after whitespace and comments. */
function skip(text: string, from: number): number {
  const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
  blank.lastIndex = from;
  blank.test(text);
  return blank.lastIndex;
}

function parseValue(text: string, start: number): JsonNode {
  if (text[start] === '{') return parseObject(text, start);
  if (text[start] === '[') return parseArray(text, start);
  const scalar = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
  scalar.lastIndex = start;
  const [token] = scalar.exec(text) ?? [];
  if (token === undefined) throw unexpected(text, start);
  return { kind: 'scalar', start, end: start + token.length, value: scalarIn(text, start, token) };
}

function scalarIn(text: string, start: number, token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    throw unexpected(text, start);
  }
}

function parseObject(text: string, start: number): ObjectNode {
  const {
    children: members,
    end,
    hasTrailingComma,
  } = parseList(text, start, '}', (position) => {
    const key = parseValue(text, position);
    const colon = skip(text, key.end);
    if (typeof key.value !== 'string' || text[colon] !== ':')
      throw unexpected(text, typeof key.value === 'string' ? colon : position);
    const node = parseValue(text, skip(text, colon + 1));
    return { child: { key: key.value, node }, end: node.end };
  });
  return {
    kind: 'object',
    start,
    end,
    value: Object.fromEntries(members.map(({ key, node }) => [key, node.value])),
    members,
    hasTrailingComma,
  };
}

function parseArray(text: string, start: number): ArrayNode {
  const {
    children: items,
    end,
    hasTrailingComma,
  } = parseList(text, start, ']', (position) => {
    const child = parseValue(text, position);
    return { child, end: child.end };
  });
  return { kind: 'array', start, end, value: items.map(({ value }) => value), items, hasTrailingComma };
}

type List<Child> = { children: Child[]; end: number; hasTrailingComma: boolean };

function parseList<Child>(
  text: string,
  start: number,
  close: string,
  parseChild: (position: number) => { child: Child; end: number },
): List<Child> {
  const children: Child[] = [];
  let hasTrailingComma = false;
  let position = skip(text, start + 1);
  while (text[position] !== close) {
    if (children.length > 0 && !hasTrailingComma) throw unexpected(text, position);
    const { child, end } = parseChild(position);
    children.push(child);
    position = skip(text, end);
    hasTrailingComma = text[position] === ',';
    if (hasTrailingComma) position = skip(text, position + 1);
  }
  return { children, end: position + 1, hasTrailingComma };
}

function unexpected(text: string, position: number): JsonSyntaxError {
  const line = text.slice(0, position).split('\n').length;
  return new JsonSyntaxError(
    position >= text.length
      ? 'unexpected end of file'
      : `line ${line} has an unexpected ${JSON.stringify(text[position])}`,
  );
}
