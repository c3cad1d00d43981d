// The tool list, which every client pays for in every conversation: its length is limited, it never changes at run
// time, and it contains what clients decide by.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { INSTRUCTIONS } from '../../../server/mcp/instructions.ts';
import { describeTool } from '../../../server/mcp/schema.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { postRpc } from '../../support/http/mcp-client.ts';
import { register } from '../../support/http/rest-client.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { startHub, story } from '../../support/process/running-hub.ts';

const MOST_TOKENS = 1_500;
const MOST_INSTRUCTION_BYTES = 2_048;

const listed: JsonObject[] = TOOLS.map((tool) => objectIn(JSON.stringify(describeTool(tool))));

test(`the list is at most ${MOST_TOKENS} tokens long`, () => {
  expect(encode(JSON.stringify({ tools: listed })).length).toBeLessThanOrEqual(MOST_TOKENS);
});

test(`the instructions are under ${MOST_INSTRUCTION_BYTES} bytes long`, () => {
  expect(Buffer.byteLength(INSTRUCTIONS)).toBeLessThan(MOST_INSTRUCTION_BYTES);
});

test.each(listed.map((tool) => [textOf(tool, 'name'), tool] as const))(
  '%s has a description, a plain object schema and every hint that differs from the protocol’s default',
  (_, tool) => {
    expect(textOf(tool, 'description')).toMatch(/^[A-Z].*\.$/);
    const schema = objectOf(tool, 'inputSchema');
    expect(schema.type).toBe('object');
    expect(Object.keys(schema).filter((key) => /^(any|one|all)Of$/.test(key))).toEqual([]);
    expect(tool).not.toHaveProperty('outputSchema');
    const hints = objectOf(tool, 'annotations');
    expect(hints.openWorldHint).toBe(false);
    if (hints.readOnlyHint !== true) expect(hints.destructiveHint).toEqual(expect.any(Boolean));
  },
);

test('queries are read-only, repeatable actions idempotent, and only cancelling is destructive', () => {
  expect(namesWith('readOnlyHint')).toEqual([
    'get_inbox',
    'wait_task',
    'get_task',
    'list_tasks',
    'get_all_status',
    'get_session_status',
    'get_completions',
  ]);
  expect(namesWith('destructiveHint')).toEqual(['cancel_task']);
  expect(namesWith('idempotentHint')).toEqual(['report_status', 'ack_inbox', 'send_ack']);
});

function namesWith(hint: string): string[] {
  return listed.filter((tool) => objectOf(tool, 'annotations')[hint] === true).map((tool) => textOf(tool, 'name'));
}

test('the three tools of the main loop are always loaded', () => {
  const loaded = listed.filter(({ _meta }) => _meta !== undefined);
  expect(loaded.map(({ name }) => name)).toEqual(['get_inbox', 'ack_inbox', 'send_reply']);
  for (const { _meta } of loaded) expect(_meta).toEqual({ 'anthropic/alwaysLoad': true });
});

story('the tool list', (target) => {
  test('is identical byte for byte on two hubs', async () => {
    const [first, second] = await Promise.all([listFrom(target), listFrom(target)]);
    expect(first).toBe(second);
    expect(listOf(objectOf(objectIn(first), 'result'), 'tools')).toEqual(listed);
  });
});

async function listFrom(target: Parameters<typeof startHub>[0]['target']): Promise<string> {
  const hub = await startHub({ target });
  const { networkToken } = await register(hub.url);
  const response = await postRpc(hub.url, networkToken, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return response.text();
}
