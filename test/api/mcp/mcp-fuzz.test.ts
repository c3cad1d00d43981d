// Ten thousand malformed posts. None causes a server error, and each gets a response that a client can parse.
import fc from 'fast-check';
import { expect, onTestFailed, test } from 'vitest';
import { MODERN_META, type Post, send } from '../../support/http/mcp-posts.ts';
import { isObject } from '../../support/json.ts';
import { serveHub } from '../../support/served-hub.ts';

const POSTS = 10_000;
const AT_ONCE = 50;

const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'subscriptions/listen',
  'notifications/cancelled',
  'notifications/initialized',
  'constructor',
  '__proto__',
  '',
];
const NAMES = [
  'get_inbox',
  'send_task',
  'wait_task',
  'get_all_status',
  'broadcast',
  'report_status',
  'check_inbox',
  'toString',
  'alias',
  '',
];
const URIS = [
  'hub://status',
  'hub://inbox/bob',
  'hub://inbox/%E7%8C%AB',
  'hub://inbox/%',
  'hub://',
  'file:///etc/passwd',
];
const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2099-01-01', '1.0', ''];

const text = fc.oneof(
  fc.constantFrom(...METHODS, ...NAMES, ...URIS, ...VERSIONS),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
// No case waits, because nothing would wake it.
const anything = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' });
const orAnything = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: anything });

const meta = orAnything(
  fc.record(
    {
      progressToken: orAnything(fc.integer()),
      'io.modelcontextprotocol/protocolVersion': orAnything(fc.constantFrom(...VERSIONS)),
      'io.modelcontextprotocol/clientCapabilities': orAnything(fc.constant({})),
    },
    { requiredKeys: [] },
  ),
);
const args = orAnything(
  fc.record(
    { alias: orAnything(text), task: orAnything(text), task_id: orAnything(text), limit: anything, content: anything },
    { requiredKeys: [] },
  ),
);
const params = orAnything(
  fc.record(
    {
      _meta: fc.oneof(fc.constant(MODERN_META), meta),
      name: orAnything(fc.constantFrom(...NAMES)),
      uri: orAnything(fc.constantFrom(...URIS)),
      arguments: args,
      protocolVersion: orAnything(fc.constantFrom(...VERSIONS)),
      cursor: anything,
      ref: orAnything(fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource', 'x'), name: text, uri: text })),
      argument: orAnything(fc.record({ name: text, value: text })),
      notifications: orAnything(
        fc.record(
          { resourceSubscriptions: orAnything(fc.array(orAnything(fc.constantFrom(...URIS)))) },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
);
const message = orAnything(
  fc.record(
    {
      jsonrpc: orAnything(fc.constant('2.0')),
      id: orAnything(fc.oneof(fc.integer(), fc.string())),
      method: orAnything(fc.constantFrom(...METHODS)),
      params,
      result: anything,
    },
    { requiredKeys: ['jsonrpc', 'method'] },
  ),
);
const body = fc.oneof(
  { weight: 16, arbitrary: message },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 4 }) },
  { weight: 1, arbitrary: text },
);

const headerText = fc.oneof(
  fc.constantFrom(...METHODS, ...NAMES, ...URIS, ...VERSIONS, '=?base64?Z2V0X2luYm94?=', '=?base64??='),
  fc.string({ maxLength: 20 }).map((value) => value.replace(/[^\x20-\x7e]/g, '').trim()),
);
const headers = fc.record(
  {
    'mcp-protocol-version': fc.oneof(fc.constantFrom(...VERSIONS), headerText),
    'mcp-method': headerText,
    'mcp-name': headerText,
    'mcp-session-id': headerText,
  },
  { requiredKeys: [] },
);
/** Most have valid headers, so that they get past the header checks. */
const post: fc.Arbitrary<Post> = fc.oneof(
  fc.record({ headers, message: body }),
  fc.record({ headers: fc.constant({}), message: body }),
  message.map((sent) => ({ headers: mirrored(sent), message: sent })),
);

function mirrored(sent: unknown): Record<string, string> {
  if (!isObject(sent)) return {};
  const { name, uri } = isObject(sent.params) ? sent.params : {};
  const base64 = (value: unknown): string =>
    `=?base64?${Buffer.from(typeof value === 'string' ? value : '').toString('base64')}?=`;
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': typeof sent.method === 'string' && /^[\x21-\x7e]+$/.test(sent.method) ? sent.method : 'x',
    'mcp-name': base64(sent.method === 'resources/read' ? uri : name),
  };
}

test(`${POSTS} fuzzed envelopes: no 5xx, and always a valid response`, async () => {
  const seed = Number(process.env.SEED ?? Date.now());
  onTestFailed(() => void process.stderr.write(`\nto draw the same again: SEED=${seed}\n`));
  const hub = await serveHub();
  const failures: unknown[] = [];
  hub.hub.log = { ...hub.hub.log, error: (fields) => void failures.push(fields) };
  const posts = fc.sample(post, { numRuns: POSTS, seed });
  const seen = new Map<string, number>();
  for (let start = 0; start < posts.length; start += AT_ONCE) {
    await Promise.all(
      posts.slice(start, start + AT_ONCE).map(async (sent) => {
        const kind = await checkResponse(hub.url, hub.networkToken, sent);
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }),
    );
  }
  expect(failures).toEqual([]);
  // Fails if the fuzzer does not reach the code behind the checks.
  for (const kind of [
    '200 result',
    '200 -32602',
    '200 -32601',
    '200 stream',
    '202',
    '400 -32600',
    '400 -32602',
    '400 -32020',
    '400 -32022',
    '400 -32700',
    '404 -32601',
  ]) {
    expect([kind, (seen.get(kind) ?? 0) > 0], JSON.stringify([...seen])).toEqual([kind, true]);
  }
}, 120_000);

async function checkResponse(url: string, token: string, sent: Post): Promise<string> {
  const response = await send(url, token, sent);
  const details = (): string => JSON.stringify({ sent, status: response.status });
  expect(response.status, details()).toBeLessThan(500);
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return `${response.status} stream`;
  }
  const reply = await response.text();
  if (response.status === 202) {
    expect(reply, details()).toBe('');
    return '202';
  }
  const [first] = [JSON.parse(reply)].flat();
  expect(first, details()).toMatchObject({ jsonrpc: '2.0' });
  return `${response.status} ${first.error === undefined ? 'result' : first.error.code}`;
}
