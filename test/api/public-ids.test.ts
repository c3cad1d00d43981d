// What a quiet network can learn about a busy one on the same hub from ids and cursors: nothing it could count by.
import { describe, expect, test, vi } from 'vitest';
import { register } from '../../server/operations/accounts/register.ts';
import { perform } from '../../server/operations/operation.ts';
import { type RestClient, restClient } from '../support/http/rest-client.ts';
import { type JsonObject, listOf, textOf } from '../support/json.ts';
import { type ServedHub, serveHub } from '../support/served-hub.ts';
import { messagesOf, read } from '../support/stream-fixture.ts';

type Two = { hub: ServedHub; quiet: RestClient; quietToken: string; quietUser: RestClient; busy: RestClient };

async function openTwo(): Promise<Two> {
  const hub = await serveHub();
  const { token, network_token } = await perform(
    register,
    hub.hub,
    { ip: '127.0.0.1' },
    { username: 'quiet', password: 'secret' },
  );
  return {
    hub,
    quietToken: network_token,
    quiet: restClient(hub.url, network_token),
    quietUser: restClient(hub.url, token),
    busy: restClient(hub.url, hub.networkToken),
  };
}

const sendTask = (rest: RestClient) =>
  rest.post('/api/tasks', { alias: 'bob', task: 'x'.repeat(10), from_session: `boss-${sent++}` });
const sendMany = async (rest: RestClient, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await sendTask(rest);
};
let sent = 0;

/** All hub-wide numbers that a client sees from one action in its own network. */
async function seenBy({ hub, quiet, quietUser, quietToken }: Two): Promise<Record<string, string>> {
  const reader = await read(hub, '/events/bob', { token: quietToken });
  await sendTask(quiet);
  const event = await reader.next('new_task');
  await reader.close();
  await quietUser.post('/api/tokens', { name: 'one more' });
  const first = async (rest: RestClient, path: string, noun: string) =>
    (await rest.get(`${path}?limit=1`)).body as JsonObject & Record<typeof noun, JsonObject[]>;
  const [tasks, taskEvents, messages, tokens, audit] = await Promise.all([
    first(quiet, '/api/tasks', 'tasks'),
    first(quiet, '/api/task_events', 'events'),
    first(quiet, '/api/messages', 'messages'),
    first(quietUser, '/api/tokens', 'tokens'),
    first(quietUser, '/api/audit-log', 'entries'),
  ]);
  return {
    event: event.id?.split('-').slice(1).join('-') ?? '',
    'cursor of tasks': String(tasks['next_cursor'] ?? ''),
    'cursor of task events': String(taskEvents['next_cursor'] ?? ''),
    'cursor of messages': String(messages['next_cursor'] ?? ''),
    'cursor of tokens': String(tokens['next_cursor'] ?? ''),
    'task event': textOf(listOf(taskEvents, 'events')[0] ?? {}, 'id'),
    'audit entry': textOf(listOf(audit, 'entries')[0] ?? {}, 'id'),
  };
}

describe('ids and cursors', () => {
  test('do not reveal how much happened elsewhere between them', async () => {
    const two = await openTwo();
    await sendMany(two.quiet, 2);
    const seen = [await seenBy(two)];
    for (const count of [0, 1, 30]) {
      await sendMany(two.busy, count);
      seen.push(await seenBy(two));
    }
    for (const name of Object.keys(seen[0] ?? {})) {
      const ids = seen.map((each) => each[name] ?? '');
      expect(
        ids.filter((id) => !/^[\w-]{22}$/.test(id)),
        name,
      ).toEqual([]);
      expect(new Set(ids).size, name).toBe(ids.length);
      // Consecutive ids share no prefix or suffix that reveals how far apart they are.
      const alike = ids.slice(1).map((id, index) => commonEnds(id, ids[index] ?? ''));
      expect(Math.max(...alike), name).toBeLessThan(6);
    }
  });

  test('the cursor of a stream is different each time, whether or not anything happened elsewhere', async () => {
    const two = await openTwo();
    let draws = 0;
    two.hub.hub.ids.fraction = () => (draws++ * 0.137) % 1;
    const positions: (string | undefined)[] = [];
    for (const count of [0, 0, 1, 5]) {
      await sendMany(two.busy, count);
      const reader = await read(two.hub, '/events/bob', { token: two.quietToken });
      await vi.waitFor(() => expect(reader.lastEventId()).toBeDefined(), 20_000);
      positions.push(reader.lastEventId());
      await reader.close();
    }
    expect(new Set(positions).size).toBe(positions.length);
    await two.quiet.post('/api/messages', { alias: 'bob', message: 'missed', from_session: 'boss' });
    for (const lastEventId of positions) {
      const resumed = await read(two.hub, '/events/bob', { token: two.quietToken, lastEventId: lastEventId ?? '' });
      await resumed.next('new_message');
      expect(messagesOf(resumed)).toHaveLength(1);
    }
  });

  test('an event has the same id for every reader, live or replayed', async () => {
    const two = await openTwo();
    const readers = [await read(two.hub, '/events/bob'), await read(two.hub, '/events')];
    await vi.waitFor(() => expect(readers.every((reader) => reader.lastEventId() !== undefined)).toBe(true), 20_000);
    const before = readers[0]?.lastEventId() ?? '';
    await sendTask(two.busy);
    readers.push(await read(two.hub, '/events/bob', { lastEventId: before }));
    const received = await Promise.all(readers.map((reader) => reader.next('new_task')));
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  });
});

/** How many characters two ids share at the start and at the end. */
function commonEnds(one: string, other: string): number {
  const length = (a: string[], b: string[]): number =>
    Math.max(
      0,
      a.findIndex((character, index) => character !== b[index]),
    );
  return length([...one], [...other]) + length([...one].reverse(), [...other].reverse());
}

describe('a cursor is accepted by its own list only', () => {
  const AGENTS = ['/api/tasks', '/api/messages', '/api/task_events', '/api/completions', '/api/nodes', '/api/status'];
  const USER_LISTS = ['/api/tokens', '/api/networks', '/api/audit-log'];

  async function cursors({
    userToken,
    networkToken,
    url,
  }: ServedHub): Promise<{ path: string; cursor: string; rest: RestClient }[]> {
    const [agent, user] = [restClient(url, networkToken), restClient(url, userToken)];
    for (const number of [1, 2]) {
      await sendTask(agent);
      await user.post('/api/networks', { name: `number ${number}` });
      await agent.post(
        '/mcp',
        rpc('report_status', { resume_id: `r${number}`, alias: `a${number}`, status: 'idle', node_id: `n${number}` }),
      );
      await agent.post('/mcp', rpc('report_completion', { alias: `a${number}`, task: 'x', result: 'y' }));
    }
    const found = [];
    for (const [rest, paths] of [
      [agent, AGENTS],
      [user, USER_LISTS],
    ] as const) {
      for (const path of paths)
        found.push({ path, rest, cursor: textOf((await rest.get(`${path}?limit=1`)).body, 'next_cursor') });
    }
    return found;
  }

  const rpc = (name: string, args: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });

  test('and by no other, and a modified one is rejected by all', async () => {
    const all = await cursors(await serveHub());
    for (const { path, rest, cursor } of all) {
      const at = async (given: string) => await rest.get(`${path}?limit=1&cursor=${encodeURIComponent(given)}`);
      expect(await at(cursor), path).toMatchObject({ status: 200 });
      const others = all.filter((each) => each.path !== path).map((each) => each.cursor);
      const changed = cursor.replace(/^./, (character) => (character === 'x' ? 'y' : 'x'));
      for (const wrong of [...others, changed, `${cursor}A`, cursor.slice(1), '1', '9', 'net_1 bob']) {
        expect(await at(wrong), `${path} ${wrong}`).toMatchObject({
          status: 400,
          body: { error: 'invalid_request', message: 'cursor must be the next_cursor of an earlier page' },
        });
      }
    }
  });
});
