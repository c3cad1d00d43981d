// Commands show paged lists in full, as a single response, from a running hub and from a stopped one.
import { expect, test } from 'vitest';
import { allPages } from '../../../server/cli/client/all-pages.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, objectIn } from '../../support/json.ts';
import { aliasOf, reportMany } from '../../support/many-agents.ts';
import { newCli, outputOf } from '../../support/process/command-line.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

const AGENTS = 1_200;
const TOKENS = 120;

test('pages are merged into one response', async () => {
  const pages = [
    { ok: true, rows: [1, 2], count: 2, next_cursor: 'a' },
    { ok: true, rows: [3], count: 1 },
  ];
  const requested: (string | undefined)[] = [];
  const fetchPage = async (cursor: string | undefined) => pages[requested.push(cursor) - 1] ?? {};
  expect(await allPages('rows', fetchPage)).toEqual({
    ok: true,
    rows: [1, 2, 3],
    count: 3,
  });
  expect(requested).toEqual([undefined, 'a']);
  expect(await allPages('rows', async () => ({ rows: [] }))).toEqual({ rows: [] });
});

storyOnce('long lists', (target) => {
  test('of agents and tokens are shown in full', async () => {
    const { hub, networkToken, networkId, userToken } = await hubOfAda({ target });
    await reportMany(hub.url, networkToken, AGENTS);
    const user = restClient(hub.url, userToken);
    for (let count = 0; count < TOKENS; count++)
      await user.post('/api/tokens', { name: `number ${count}`, network_id: networkId });
    const cli = newCli(target, { AGENTHUB_DATA: hub.data, AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: networkToken });
    const shown = async (noun: string, ...words: string[]) =>
      listOf(objectIn(await outputOf(cli, [...words, '-o', 'json'])), noun);
    const sessions = await shown('sessions', 'status');
    expect(sessions.map(({ alias }) => alias)).toEqual(Array.from({ length: AGENTS }, (_, index) => aliasOf(index)));
    const namesOf = async () =>
      (await shown('tokens', 'token', 'list'))
        .map(({ name }) => String(name))
        .filter((name) => name.startsWith('number'));
    const names = Array.from({ length: TOKENS }, (_, index) => `number ${index}`);
    expect(await namesOf()).toEqual(names);
    await hub.stop();
    expect(await namesOf()).toEqual(names);
  });
});
