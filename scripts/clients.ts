// `npm run clients`: tests three real MCP clients against the hub. Each is set up by `agenthub connect` and runs a turn that
// calls get_inbox, restarts a killed hub, and calls get_inbox again. A mock replaces each client's model, so that
// everything runs on this machine; only the clients themselves come from the npm registry.
import { type ClientName, installClients, PACKAGES } from './clients/install.ts';
import { type Model, openModel } from './clients/model.ts';
import { openSandbox, type Sandbox } from './clients/sandbox.ts';
import { ALIAS, connectLine, SETUPS } from './clients/setups.ts';
import { type Recorded, type WatchedHub, watchHub } from './clients/watched-hub.ts';

const TASK = 'water the plants';
const LAST_WORD = 'the roses too';

type Seen = { client: ClientName; received: Recorded[]; model: Model; tried: string[]; output: string[] };
type Column = { title: string; show: (seen: Seen) => string };

const no = (isThere: boolean, word = 'yes'): string => (isThere ? word : 'NO');
const responded =
  (method: RegExp) =>
  ({ received }: Seen): boolean =>
    received.some(({ rpc = '', status }) => method.test(rpc) && status === 200);
const reached =
  (words: string) =>
  ({ model }: Seen): boolean =>
    model.requests.some((request) => request.includes(words));

const COLUMNS: readonly Column[] = [
  { title: 'client', show: ({ client }) => PACKAGES[client].title },
  { title: 'version', show: ({ client }) => PACKAGES[client].version },
  { title: 'era', show: eraOf },
  { title: 'connected', show: (seen) => no(responded(/^(initialize|server\/discover)$/)(seen)) },
  { title: 'tools listed', show: (seen) => no(responded(/^tools\/list$/)(seen)) },
  { title: 'tool called', show: ({ model }) => no(isInbox(model.results[0]), 'get_inbox') },
  { title: 'after a SIGKILL of the hub', show: ({ model }) => no(isInbox(model.results[1]), 'get_inbox') },
  { title: 'hooks', show: hooksOf },
  { title: 'hosts tried', show: ({ tried }) => (tried.length === 0 ? 'none' : [...new Set(tried)].join(' ')) },
];

installClients();
const rows = [COLUMNS.map(({ title }) => title)];
for (const client of ['claude', 'codex', 'gemini'] as const) rows.push(await prove(client));
process.stdout.write(
  `${rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widthOf(index)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`,
);
if (rows.some((row) => row.includes('NO'))) process.exitCode = 1;

function widthOf(column: number): number {
  return Math.max(...rows.map((row) => row[column]?.length ?? 0));
}

async function prove(client: ClientName): Promise<string[]> {
  await using hub = await watchHub();
  using sandbox = await openSandbox(client);
  using model = await openModel({ args: { alias: ALIAS }, calls: 2, before: events(hub) });
  const output = await runTurns(client, hub, sandbox, model);
  const row = COLUMNS.map(({ show }) => show({ client, received: hub.received, model, tried: sandbox.tried, output }));
  if (row.includes('NO')) process.stdout.write(`${output.join('\n')}\n`);
  return row;
}

/** The events while the model thinks: a restart before its second call, more mail before the end of its turn. */
function events(hub: WatchedHub): (call: number) => Promise<void> {
  const once: (() => Promise<void>)[] = [
    async () => {},
    () => hub.restart(),
    () => hub.send('send_message', { alias: ALIAS, message: LAST_WORD, from_session: 'planner' }),
  ];
  let next = 0;
  return async (call) => {
    if (call === next) await once[next++]?.();
  };
}

/** Returns the output of the client for each command. */
async function runTurns(client: ClientName, hub: WatchedHub, sandbox: Sandbox, model: Model): Promise<string[]> {
  await hub.send('send_task', { alias: ALIAS, task: TASK, from_session: 'planner', priority: 'high' });
  const access = { home: sandbox.home, hub: hub.url, token: hub.token, model: model.url };
  const { env, files, list, turn } = SETUPS[client];
  sandbox.write(files(access));
  const output: string[] = [];
  const connection = { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: hub.token };
  output.push((await sandbox.run(connectLine(client), { ...env(access), ...connection })).output);
  for (const line of [list, turn]) output.push((await sandbox.run(line, env(access))).output);
  return output;
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

/** `codex exec` skips hooks that a person has not trusted in its dialog. */
function hooksOf(seen: Seen): string {
  if (seen.client === 'codex') return '–';
  const events = new Set(seen.received.flatMap(({ event, status }) => (status === 200 && event) || []));
  const isReported = reached('1 new high-priority task')(seen) && reached(`agenthub: 1 new message for ${ALIAS}`)(seen);
  return no(events.size === 4 && isReported, [...events].join(' '));
}
