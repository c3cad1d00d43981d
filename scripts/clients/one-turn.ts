// One turn of a client without a person: it calls get_inbox, the hub is killed and started again, it calls get_inbox
// again, and mail that came meanwhile is mentioned to it.
import { type ClientName, PACKAGES } from './install.ts';
import { type Model, openModel, type Script } from './model.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import { ALIAS, connectLine, SETUPS } from './setups.ts';
import { type Recorded, type WatchedHub, watchHub } from './watched-hub.ts';

const TASK = 'water the plants';
const LAST_WORD = 'the roses too';

type Seen = { client: ClientName; received: Recorded[]; model: Model; tried: string[] };
type Column = { title: string; show: (seen: Seen) => string };

const no = (isThere: boolean, word = 'yes'): string => (isThere ? word : 'NO');
const responded =
  (method: RegExp) =>
  ({ received }: Seen): boolean =>
    received.some(({ rpc = '', status }) => method.test(rpc) && status === 200);
const reached =
  (words: string) =>
  ({ model }: Seen): boolean =>
    model.requests.some(({ content }) => content.includes(words));

const COLUMNS: readonly Column[] = [
  { title: 'client', show: ({ client }) => PACKAGES[client].title },
  { title: 'version', show: ({ client }) => PACKAGES[client].version },
  { title: 'era', show: eraOf },
  { title: 'connected', show: (seen) => no(responded(/^(initialize|server\/discover)$/)(seen)) },
  { title: 'tools listed', show: (seen) => no(responded(/^tools\/list$/)(seen)) },
  { title: 'tool called', show: ({ model }) => no(isInbox(resultsOf(model)[0]), 'get_inbox') },
  { title: 'after a SIGKILL of the hub', show: ({ model }) => no(isInbox(resultsOf(model)[1]), 'get_inbox') },
  { title: 'hooks', show: hooksOf },
  { title: 'hosts tried', show: ({ tried }) => (tried.length === 0 ? 'none' : [...new Set(tried)].join(' ')) },
];

export const TITLES = COLUMNS.map(({ title }) => title);

/** Returns a cell for each title. `NO` stands for what failed, and the output of the client is printed. */
export async function runOneTurn(client: ClientName): Promise<string[]> {
  await using hub = await watchHub();
  using sandbox = await openSandbox(client);
  using model = await openModel(twoCalls(hub));
  const output = await runTurns(client, hub, sandbox, model);
  const row = COLUMNS.map(({ show }) => show({ client, received: hub.received, model, tried: sandbox.tried }));
  if (row.includes('NO')) process.stdout.write(`${[...output, requestsIn(hub.received)].join('\n')}\n`);
  return row;
}

/** While the model thinks, the hub restarts before its second call, and more mail comes before the end of its turn. */
function twoCalls(hub: WatchedHub): Script {
  const once: (() => Promise<unknown>)[] = [
    async () => {},
    () => hub.restart(),
    () => hub.call('send_message', { alias: ALIAS, message: LAST_WORD, from_session: 'planner' }),
  ];
  let next = 0;
  return async ({ results }) => {
    if (results.length === next) await once[next++]?.();
    return results.length < 2 ? { tool: 'get_inbox', args: { alias: ALIAS } } : { say: 'done' };
  };
}

/** Of the longest conversation: clients also have short ones, such as for a title. */
function resultsOf({ requests }: Model): readonly string[] {
  return requests.reduce<readonly string[]>((most, { results }) => (results.length > most.length ? results : most), []);
}

/** Returns the output of the client for each command. */
async function runTurns(client: ClientName, hub: WatchedHub, sandbox: Sandbox, model: Model): Promise<string[]> {
  await hub.call('send_task', { alias: ALIAS, task: TASK, from_session: 'planner', priority: 'high' });
  const access = { home: sandbox.home, hub: hub.url, token: hub.token, model: model.url };
  const { env, files, list, turn } = SETUPS[client];
  sandbox.write(files(access));
  const output: string[] = [];
  const connection = { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: hub.token };
  output.push((await sandbox.run(connectLine(client), { ...env(access), ...connection })).output);
  for (const line of [list, turn]) output.push((await sandbox.run(line, env(access))).output);
  return output;
}

function requestsIn(received: readonly Recorded[]): string {
  const lines = received.map(({ path, status, rpc, tool, event }) =>
    [status, path, rpc, tool, event].filter((word) => word !== undefined).join(' '),
  );
  return `The hub responded to:\n${lines.join('\n')}\n`;
}

function eraOf({ received }: Seen): string {
  const revisions = new Set(received.flatMap(({ revision }) => revision ?? []));
  return (
    [...revisions].map((revision) => `${revision} (${revision >= '2026-07-28' ? 'modern' : 'legacy'})`).join(', ') ||
    'NO'
  );
}

function isInbox(result: string | undefined): boolean {
  return result?.includes(TASK) ?? false;
}

function hooksOf(seen: Seen): string {
  const { hooks, isExtended } = SETUPS[seen.client].oneTurn;
  if (hooks.length === 0) return '–';
  const events = new Set(seen.received.flatMap(({ event, status }) => (status === 200 && event) || []));
  const isTold = reached('1 new high-priority task')(seen);
  const isToldAtEnd = !isExtended || reached(`agenthub: 1 new message for ${ALIAS}`)(seen);
  const isToldToWait = reached(' wake --session ')(seen); // the client would not end
  return no(isTold && isToldAtEnd && !isToldToWait && hooks.every((event) => events.has(event)), hooks.join(' '));
}
