import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { en } from '../../console/i18n/en.ts';
import { zh } from '../../console/i18n/zh.ts';

describe('the two languages', () => {
  test('have a text for every audited action', () => {
    const audited = globSync('**/*.ts', { cwd: OPERATIONS }).flatMap((path) =>
      [
        ...readFileSync(join(OPERATIONS, path), 'utf8').matchAll(
          /'((?:agent|hub|invite|member|network|token|user)\.[a-z_]+)'/g,
        ),
      ].map(([, action]) => action),
    );
    expect(audited.length).toBeGreaterThan(15);
    for (const language of [en, zh])
      expect(Object.keys(language.admin.actions)).toEqual(expect.arrayContaining(audited));
  });

  test('have the same keys and parameters', () => {
    expect(shapeOf(zh)).toEqual(shapeOf(en));
  });

  test('have no empty texts', () => {
    for (const language of [en, zh]) expect(leaves(language).filter((leaf) => leaf === '')).toEqual([]);
  });

  test('use the parameters of a text', () => {
    for (const language of [en, zh]) {
      expect(language.agents.send('ada')).toContain('ada');
      expect(language.errors.tooLong(10_000)).toContain('10000');
      expect(language.errors.rateLimited(42)).toContain('42');
      expect(language.live.asOf('12:00')).toContain('12:00');
    }
  });
});

/** Replaces functions by their number of parameters and texts by 'text'. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'function') return value.length;
  if (typeof value !== 'object' || value === null) return 'text';
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
}

const OPERATIONS = fileURLToPath(new URL('../../server/operations', import.meta.url));
const CONSOLE = fileURLToPath(new URL('../../console', import.meta.url));
const COMPONENTS = globSync('**/*.tsx', { cwd: CONSOLE });
const LABELLING = ['title', 'aria-label', 'placeholder', 'label', 'alt', 'children'];

describe('a component', () => {
  test.each(COMPONENTS)('%s contains no literal text', (path) => {
    expect(wordsIn(readFileSync(join(CONSOLE, path), 'utf8'))).toEqual([]);
  });

  test('with literal text is detected', () => {
    expect(wordsIn('<p title="Hover">Hello {name}<b>{on ? "Yes" : ""}</b></p>')).toEqual(['Hover', 'Hello ', 'Yes']);
  });
});

/** Literal texts visible to users or screen readers: children and labelling attributes. */
function wordsIn(source: string): string[] {
  const { code } = transformSync(source, { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact' });
  const found: string[] = [];
  walk(parseAst(code), (node) => {
    if (LABELLING.includes(propertyName(node))) found.push(...textsOf(memberOf(node, 'value')));
  });
  return found.filter((text) => /\p{L}/u.test(text));
}

function walk(node: unknown, visit: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return;
  visit(node);
  Object.values(node).forEach((inner) => walk(inner, visit));
}

function propertyName(node: object): string {
  if (memberOf(node, 'type') !== 'Property') return '';
  const key = memberOf(node, 'key');
  return String(memberOf(key, 'name') ?? memberOf(key, 'value'));
}

/** The possible texts of an expression: itself, both branches of a condition, each item of a list. */
function textsOf(node: unknown): string[] {
  const value = memberOf(node, 'value');
  if (memberOf(node, 'type') === 'Literal' && typeof value === 'string') return [value];
  const inner = [
    memberOf(node, 'consequent'),
    memberOf(node, 'alternate'),
    memberOf(node, 'right'),
    memberOf(node, 'elements'),
  ].flat();
  return inner.filter((each) => each !== undefined).flatMap(textsOf);
}

function memberOf(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined;
}
