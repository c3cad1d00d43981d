// A user with another network on the same hub requests everything and sees nothing of its neighbor.
import { openEvents } from '../../../test/support/http/event-reader.ts';
import { mcpClient } from '../../../test/support/http/mcp-client.ts';
import { type Account, register, restClient } from '../../../test/support/http/rest-client.ts';
import { listOf, textOf } from '../../../test/support/json.ts';
import { eventIdsIn } from '../../../test/support/store/stored-data.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, expectSame, type Row } from '../row.ts';

const TEXT = 'planted-text-9c37';
const OWN_TEXT = 'text-of-the-outsider-4e02';
const TIMEOUT_MS = 10_000;

export const tenantIsolation: Row = {
  name: 'tenant-isolation',
  promise: 'a network is visible to its members only',
  test: () => 'a foreign user requests every list, id, inbox and stream of a neighbor on the same hub',
  target: 'shown nothing, changed nothing',
  amounts: { least: 1, quick: 1, long: 1 },
  run: async (trial) => {
    const hub = await trial.start();
    const home = await register(hub.url);
    const outsider = await register(hub.url, 'mallory');
    const mine = restClient(hub.url, home.networkToken);
    const task = textOf(
      (await mine.post('/api/tasks', { alias: 'builder', task: TEXT, from_session: 'boss' })).body,
      'task_id',
    );
    await mcpClient(hub.url, home.networkToken).call('report_status', {
      resume_id: 'r1',
      alias: 'builder',
      status: 'idle',
      task: TEXT,
    });
    const shown: string[] = [];
    for (const token of [outsider.networkToken, outsider.userToken])
      shown.push(...(await requestEverything(hub, token, task, home.networkId)));
    shown.push(...(await receiveEvents(hub, home, outsider)));
    const { body } = await mine.get(`/api/tasks/${task}`);
    return {
      figure: `${shown.length} responses, ${shown.filter((response) => response.includes(TEXT)).length} with a neighbor's text`,
      complaints: [
        ...complaint(
          'shown to another tenant',
          shown.filter((response) => response.includes(TEXT)).map((response) => response.slice(0, 120)),
        ),
        ...expectSame('events of the task', listOf(body, 'events').length, 1),
      ],
    };
  },
};

async function requestEverything(hub: Hub, token: string, task: string, network: string): Promise<string[]> {
  const rest = restClient(hub.url, token);
  const lists = [
    'tasks',
    'messages',
    'status',
    'completions',
    'task_events',
    'nodes',
    'stats',
    'audit-log',
    `tasks/${task}`,
    `tasks/${task}/why`,
    `networks/${network}`,
  ];
  const paths = lists.flatMap((list) => [`/api/${list}`, `/api/${list}?network_id=${network}`]);
  const verbs = ['cancel', 'reply', 'ack', 'reassign', 'retry'];
  const requests = [
    ...paths.map((path) => rest.get(path)),
    ...verbs.map((verb) =>
      rest.post(`/api/tasks/${task}/${verb}`, { text: 'mine', new_alias: 'mallory', alias: 'builder' }),
    ),
    rest.post('/api/tasks', { alias: 'builder', task: 'mine', network_id: network }),
  ];
  const responses = (await Promise.all(requests)).map(({ status, body }) => `${status} ${JSON.stringify(body)}`);
  const mcp = mcpClient(hub.url, token);
  const tools: [tool: string, args: object][] = [
    ['get_inbox', { alias: 'builder' }],
    ['get_task', { task_id: task }],
    ['list_tasks', {}],
    ['get_all_status', {}],
    ['get_session_status', { alias: 'builder' }],
    ['ack_inbox', { alias: 'builder', message_id: task }],
    ['cancel_task', { task_id: task }],
  ];
  for (const [tool, args] of tools) responses.push(await mcp.call(tool, args).then(JSON.stringify, String));
  return responses;
}

/**
 * The events of their streams, from the first of the hub. Their own event comes last, so everything else has arrived by
 * then.
 */
async function receiveEvents(hub: Hub, home: Account, outsider: Account): Promise<string[]> {
  const refused = await restClient(hub.url, outsider.userToken).get(`/events/builder?network_id=${home.networkId}`);
  const lastEventId = (await eventIdsIn(hub.data)).of(1);
  const streams = await Promise.all(
    ['/events', '/events/builder'].map((path) => openEvents(hub.url + path, outsider.networkToken, { lastEventId })),
  );
  for (const [token, message] of [
    [home.networkToken, TEXT],
    [outsider.networkToken, OWN_TEXT],
  ] as const) {
    await restClient(hub.url, token).post('/api/messages', { alias: 'builder', message, from_session: 'boss' });
  }
  const received = (): string[] => streams.map((stream) => JSON.stringify(stream.arrived()));
  await until(() => received().every((text) => text.includes(OWN_TEXT)), TIMEOUT_MS);
  await Promise.all(streams.map((stream) => stream.close()));
  return [`${refused.status} ${JSON.stringify(refused.body)}`, ...received()];
}
