// JSON-RPC messages with a random defect: a node replaced, omitted or duplicated.
import fc from 'fast-check';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { isObject } from '../../support/json.ts';
import { anyJson } from './bad-values.ts';

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'server/discover',
  'notifications/initialized',
  'toString',
  '__proto__',
  'tools/call ',
  'Tools/Call',
  '',
];

const reference = fc.constantFrom(
  { type: 'ref/prompt', name: 'check_inbox' },
  { type: 'ref/resource', uri: 'hub://inbox/{alias}' },
);
const uri = fc.constantFrom(
  'hub://status',
  'hub://inbox/',
  'hub://inbox/%',
  'hub://inbox/%00',
  'hub://inbox/a%2Fb',
  'hub://',
  'file:///etc/passwd',
  '',
);

const PARAMS = {
  name: 'check_inbox',
  arguments: { alias: 'a' },
  argument: { name: 'alias', value: '' },
  protocolVersion: '2025-06-18',
};

/** Complete messages that change nothing. Tool calls always lack a required argument. */
const message = fc.oneof(
  fc
    .record({
      tool: fc.constantFrom(...TOOLS.map(({ operation }) => operation.name)),
      args: fc.dictionary(fc.string(), anyJson),
    })
    .map(({ tool, args }) =>
      rpc('tools/call', { name: tool, arguments: { ...args, alias: 1, task_id: 1, content: 1, network_id: 1 } }),
    ),
  fc
    .tuple(fc.constantFrom(...METHODS), reference, uri)
    .map(([method, ref, which]) => rpc(method, { ...PARAMS, ref, uri: which })),
);

function rpc(method: string, params: object) {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** The message as text, with one defect per element of `wounds`. */
export const badCall: fc.Arbitrary<string> = fc
  .tuple(
    message,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'double', 'wrap'), anyJson), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([whole, defects]) =>
    defects.reduce((text, [at, how, value]) => corrupt(text, at, how, value), JSON.stringify(whole)),
  );

function corrupt(text: string, at: number, how: string, value: unknown): string {
  const tree: unknown = JSON.parse(text);
  const nodes = membersIn(tree);
  const target = nodes[at % Math.max(1, nodes.length)];
  if (how === 'wrap') return JSON.stringify(at % 2 === 0 ? [tree] : Array(at % 60).fill(tree));
  if (target === undefined) return JSON.stringify(value);
  const { holder, key } = target;
  // JSON.parse keeps the last of two members with the same name.
  const name = `${JSON.stringify(key)}:`;
  if (how === 'double') return text.replace(name, () => `${name}${JSON.stringify(value)},${name}`);
  if (how === 'remove') delete holder[key];
  else holder[key] = value;
  return JSON.stringify(tree);
}

type Place = { holder: Record<string, unknown>; key: string };

/** Every member of every object in the value. */
function membersIn(value: unknown): Place[] {
  if (Array.isArray(value)) return value.flatMap(membersIn);
  if (!isObject(value)) return [];
  const holder: Record<string, unknown> = value;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...membersIn(holder[key])]);
}

const version = fc.constantFrom(
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
  '2099-01-01',
  '1999-01-01',
  'draft',
  '',
);

/** Protocol headers that do not always match the message. */
export const oddRpcHeaders: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    'MCP-Protocol-Version': version,
    'Mcp-Method': fc.constantFrom('tools/call', 'ping', 'tools/list', ''),
    'Mcp-Name': fc.constantFrom('get_task', '=?base64?Z2V0X3Rhc2s=?=', '=?base64?%%%?=', '=?base64?gICA?='),
    'Mcp-Session-Id': fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
    Accept: fc.constantFrom('application/json', 'text/event-stream', '*/*', 'text/html', '', 'application/json;q=0'),
  },
  { requiredKeys: [] },
);
