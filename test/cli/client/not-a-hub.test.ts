// A server that returns status 200 with JSON but is not a hub, such as a captive portal or a service at a wrong
// address: every command that talks to a hub reports it in one line, whatever the JSON is.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../../server/cli/client/commands.ts';
import { rowsOf } from '../../../server/cli/commands.ts';
import { endingOf } from '../../../server/cli/ending.ts';
import { performCommand } from '../../../server/cli/program.ts';
import { portOf } from '../../support/http/plain-proxy.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

process.env.AGENTHUB_TOKEN = 'ntok_x';

const rpc = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result });
const toolText = (text: string): string => rpc({ tools: [], content: [{ type: 'text', text }] });

const RESPONSES = [
  '{}',
  '[]',
  'null',
  '"hub"',
  '{"ok":true}',
  '{"ok":false}',
  '{"ok":1,"status":"ok"}',
  '{"status":"ok"}',
  '{"error":null}',
  '{"ok":true,"tasks":5,"stats":{},"task":"x","user":[],"messages":null,"sessions":{},"networks":1,"task_id":4}',
  rpc({}),
  rpc(null),
  rpc({ content: [] }),
  rpc({ content: 'x', tools: 4 }),
  toolText('{}'),
  toolText('no JSON'),
  toolText('null'),
];

/** By command. */
const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  login: [['--username', 'ada', '--password-stdin']],
  whoami: [[]],
  context: [['show']],
  status: [[], ['builder']],
  tasks: [[]],
  task: [['task_1'], ['task_1', '-o', 'json']],
  send: [
    ['a', 'b'],
    ['a', 'b', '--wait=1'],
  ],
  message: [['a', 'b']],
  broadcast: [['b']],
  inbox: [
    ['--alias', 'a'],
    ['--alias', 'a', '--ack', 'msg_1'],
  ],
  wait: [['--alias', 'a', '--timeout', '0']],
  retry: [['task_1']],
  reassign: [['task_1', 'b']],
  cancel: [['task_1']],
  reply: [['task_1', 'done']],
  connect: [['claude', '--alias', 'a']],
};

/** Commands that do not talk to a hub, that retry until one responds, and that read an event of a client first. */
const OTHERS = ['completion', 'hook', 'licenses', 'logout', 'man', 'version', 'wake', 'watch', 'work'];

test('every command that talks to a hub is covered', () => {
  const rows = Object.values(CLIENT_COMMANDS).flat().flatMap(rowsOf);
  const names = new Set(rows.map(({ short, family, name }) => short ?? family?.name ?? name));
  expect([...Object.keys(CALLS), ...OTHERS].toSorted()).toEqual([...names].toSorted());
});

test.each(RESPONSES)('a server that returns %s is not a hub', async (response) => {
  const url = await serve(response);
  process.env.HOME = temporaryDirectory();
  process.env.AGENTHUB_URL = url;
  for (const [name, calls] of Object.entries(CALLS)) {
    for (const words of calls)
      expect.soft(await endOf([name, ...words]), `${name} ${words.join(' ')}`).toEqual(NOT_A_HUB(url));
  }
});

test.each([
  ['status', 'application/json'],
  ['status', 'text/event-stream'],
])('%s rejects an endless response of type %s', async (command, type) => {
  const endless = createServer((_request, response) => {
    const chunk = 'x'.repeat(1024 * 1024);
    const more = (): void => void (!response.destroyed && response.write(chunk, () => setImmediate(more)));
    response.setHeader('Content-Type', type);
    more();
  });
  process.env.HOME = temporaryDirectory();
  process.env.AGENTHUB_URL = await addressOf(endless);
  expect(await endOf([command])).toEqual(NOT_A_HUB(process.env.AGENTHUB_URL));
});

const NOT_A_HUB = (url: string) => ({
  code: 1,
  failure: {
    error: 'failed',
    message: `the server at ${url} is not an agenthub hub (status 200); check the address`,
    exit_code: 1,
  },
});

async function serve(reply: string): Promise<string> {
  return addressOf(
    createServer((_request, response) => void response.setHeader('Content-Type', 'application/json').end(reply)),
  );
}

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server.address())}`;
}

async function endOf(words: readonly string[]): Promise<object> {
  try {
    await performCommand(['node', 'agenthub', ...words], () => {});
    return { code: 0 };
  } catch (error) {
    try {
      return endingOf(error);
    } catch {
      return { bug: String(error) };
    }
  }
}
