// Tests each tool row: the documented result, and each parameter on both sides of its rule.
import { describe, expect, test } from 'vitest';
import { describeTool } from '../../../server/mcp/schema.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { objectOf } from '../../support/json.ts';
import type { Fixture } from './fixture.ts';
import { type Rule, refusedBy, takenBy } from './members.ts';
import { expectShape } from './shape-test.ts';
import { TOOL_ROWS, type ToolRow } from './tools.ts';

export function toolTests(fixture: () => Fixture): void {
  for (const [name, row] of Object.entries(TOOL_ROWS)) describe(name, () => toolTest(fixture, name, row));
}

function toolTest(fixture: () => Fixture, tool: string, row: ToolRow): void {
  test('returns every field', async () => {
    const network = await fixture().newNetwork();
    expectShape(row.responses, await network.tool(tool, await row.prepare(network)));
  });

  test('is listed with each documented parameter, its type and whether it is required', () => {
    const found = TOOLS.find(({ operation }) => operation.name === tool);
    if (found === undefined) throw new Error(`there is no tool ${tool}`);
    const { inputSchema } = describeTool(found);
    for (const [name, { type, words, isRequired = false }] of Object.entries(row.parameters)) {
      const expected = {
        type: LISTED_TYPES[type],
        ...(words !== undefined && { enum: expect.toSatisfy(isSetOf(words)) }),
      };
      expect(objectOf(inputSchema.properties, name), name).toMatchObject(expected);
      expect(inputSchema.required?.includes(name) ?? false, name).toBe(isRequired);
    }
  });

  for (const [name, rule] of Object.entries({ ...row.parameters, ...row.additions }))
    describe(name, () => parameterTest(fixture, tool, name, rule));
}

const LISTED_TYPES: Readonly<Record<Rule['type'], string>> = {
  text: 'string',
  words: 'string',
  cursor: 'string',
  moment: 'string',
  number: 'number',
  whole: 'number',
  texts: 'array',
  ids: 'array',
  flag: 'boolean',
  form: 'string',
};

const isSetOf =
  (words: readonly string[]) =>
  (given: unknown): boolean =>
    Array.isArray(given) && new Set(given).size === words.length && words.every((word) => given.includes(word));

function parameterTest(fixture: () => Fixture, tool: string, name: string, rule: Rule): void {
  const { prepare } = TOOL_ROWS[tool] ?? {};
  if (rule.isRequired) {
    test('is required', async () => {
      const network = await fixture().newNetwork();
      const { [name]: _, ...rest } = (await prepare?.(network)) ?? {};
      expect(await network.tool(tool, rest)).toEqual({
        ok: false,
        error: 'invalid_arguments',
        message: `${name} is required`,
      });
    });
  }
  test('is accepted up to its limit', async () => {
    const network = await fixture().newNetwork();
    for (const value of takenBy(rule)) {
      const result = await network.tool(tool, { ...(await prepare?.(network)), [name]: value });
      expect(result.error, `${name} ${shown(value)} ${JSON.stringify(result)}`).not.toBe('invalid_arguments');
    }
  });
  test('is rejected beyond its limit and with another type', async () => {
    const network = await fixture().newNetwork();
    const args = await prepare?.(network);
    for (const value of refusedBy(rule)) {
      const result = await network.tool(tool, { ...args, [name]: value });
      expect(result, `${name} ${shown(value)}`).toEqual({
        ok: false,
        error: 'invalid_arguments',
        message: expect.stringContaining(name),
      });
    }
  });
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}
