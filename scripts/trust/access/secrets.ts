// Secrets are planted and then searched for in everything a hub outputs and stores.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { type Hub, run } from '../hub.ts';
import { complaint, expectSame, type Row, type Trial } from '../row.ts';

const USERNAME = 'keeper';
const PASSWORD = 'planted-password-1f7c';
const NEXT_PASSWORD = 'planted-password-2e8d';
const WRONG_PASSWORD = 'planted-password-3b9a';
const TEXT = 'planted-text-5d21';

type Planted = { passwords: string[]; tokens: string[]; texts: string[] };
type Location = { name: string; content: string; free: readonly (keyof Planted)[] };

export const secrets: Row = {
  name: 'secrets',
  promise: 'secrets do not leak',
  test: () =>
    'planted passwords, tokens and texts searched for in debug logs, errors, audit log, database files and a backup',
  target: 'no secret found, texts in the database only',
  amounts: { least: 1, quick: 1, long: 1 },
  run: async (trial) => {
    const hub = await trial.start({ args: ['--log-level', 'debug'] });
    const errors: string[] = [];
    const planted = await plant(hub, errors);
    const auditLog = await readAuditLog(hub, planted);
    const whileRunning = contentOf(hub.data);
    const backup = await backupOf(trial, hub.data);
    await hub.kill('SIGTERM');
    const nothing = ['passwords', 'tokens', 'texts'] as const;
    const places: Location[] = [
      { name: 'log', content: hub.stdout() + hub.stderr(), free: nothing },
      { name: 'errors', content: errors.join('\n'), free: nothing },
      { name: 'audit log', content: auditLog, free: nothing },
      { name: 'database and its log', content: whileRunning, free: ['passwords', 'tokens'] },
      { name: 'backup', content: backup, free: ['passwords', 'tokens'] },
      { name: 'database after the exit', content: contentOf(hub.data), free: ['passwords', 'tokens'] },
    ];
    const found = places.flatMap((place) => findIn(place, planted));
    return {
      figure: `${found.length} found of ${nothing.flatMap((kind) => planted[kind]).length} planted in ${places.length} places`,
      complaints: [
        ...complaint('found', found),
        ...expectSame(
          'the search finds a known text',
          [whileRunning, backup].every((content) => content.includes(TEXT)) && auditLog.includes(USERNAME),
          true,
        ),
        ...expectSame('requests were logged', hub.stdout().includes('/api/auth/login'), true),
      ],
    };
  },
};

/** Every way in which a hub receives a secret, well-formed or not. */
async function plant(hub: Hub, errors: string[]): Promise<Planted> {
  const visitor = restClient(hub.url);
  const registered = await visitor.post('/api/auth/register', { username: USERNAME, password: PASSWORD });
  const tokens = [textOf(registered.body, 'token'), textOf(registered.body, 'network_token')];
  const [userToken = '', networkToken = ''] = tokens;
  const user = restClient(hub.url, userToken);
  const agent = restClient(hub.url, networkToken);
  tokens.push(textOf((await user.post('/api/tokens', { name: 'another' })).body, 'token'));
  tokens.push(
    textOf((await user.post(`/api/networks/${textOf(registered.body, 'network_id')}/invite`)).body, 'invite_code'),
  );
  await agent.post('/api/tasks', {
    alias: 'builder',
    task: TEXT,
    context: TEXT,
    from_session: 'boss',
    idempotency_key: 'key',
  });
  await agent.post('/api/messages', { alias: 'builder', message: TEXT, from_session: 'boss' });
  const refused = [
    visitor.post('/api/auth/login', { username: USERNAME, password: WRONG_PASSWORD }),
    visitor.post('/api/auth/login', { username: USERNAME, password: [PASSWORD] }),
    visitor.post('/api/auth/register', { username: USERNAME, password: PASSWORD }),
    visitor.post('/api/auth/register', { username: 'x', password: PASSWORD, email: 7 }),
    agent.post('/api/tasks', { alias: 7, task: TEXT }),
    agent.post('/api/tasks', { alias: 'builder', task: `${TEXT}\0` }),
    agent.post('/api/tasks', { alias: 'builder', task: `${TEXT} again`, from_session: 'boss', idempotency_key: 'key' }),
    agent.post('/api/tasks/nowhere/reply', { text: TEXT }),
    restClient(hub.url, `${networkToken}x`).get('/api/tasks'),
    agent.get(`/api/tasks?cursor=${TEXT}`),
    agent.get(`/api/nowhere?token=${networkToken}`),
    restClient(hub.url).get(`/api/tasks?token=${networkToken}`),
  ];
  for (const { status, body } of await Promise.all(refused)) {
    if (status < 400) throw new Error(`expected a rejection and got ${status} ${JSON.stringify(body)}`);
    errors.push(JSON.stringify(body));
  }
  await readStream(`${hub.url}/events/builder?token=${networkToken}`);
  errors.push(...(await sendNonsense(hub, networkToken)));
  await user.post('/api/auth/login', { username: USERNAME, password: PASSWORD });
  const changed = await user.post('/api/auth/password', { old_password: PASSWORD, new_password: NEXT_PASSWORD });
  if (changed.status !== 200) throw new Error(`changing the password returned ${changed.status}`);
  return { passwords: [PASSWORD, NEXT_PASSWORD, WRONG_PASSWORD], tokens, texts: [TEXT] };
}

async function readStream(url: string): Promise<void> {
  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  leaving.abort();
}

/** Bodies that the body parser rejects. */
async function sendNonsense(hub: Hub, token: string): Promise<string[]> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const bodies: [path: string, body: string][] = [
    ['/api/auth/login', `{"username":"${USERNAME}","password":"${PASSWORD}"`],
    ['/api/tasks', `{"alias":"builder","task":"${TEXT}"`],
    [
      '/mcp',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"task":"${TEXT}"}}`,
    ],
    [
      '/mcp',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"alias":7,"task":"${TEXT}"}}}`,
    ],
  ];
  return Promise.all(
    bodies.map(async ([path, body]) => (await fetch(hub.url + path, { method: 'POST', headers, body })).text()),
  );
}

async function backupOf({ command, directory }: Trial, data: string): Promise<string> {
  const file = join(directory(), 'backup.db');
  const { ended, stderr } = run(command, ['backup', file, '--data', data]);
  if ((await ended).code !== 0) throw new Error(`the backup failed: ${stderr()}`);
  return readFileSync(file, 'latin1');
}

async function readAuditLog(hub: Hub, { tokens: [userToken] }: Planted): Promise<string> {
  return JSON.stringify((await restClient(hub.url, userToken).get('/api/audit-log?limit=500')).body);
}

/** All files of a data directory, byte for byte. */
function contentOf(data: string): string {
  const files = readdirSync(data, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name }) => readFileSync(join(data, name), 'latin1')).join('\n');
}

function findIn({ name, content, free }: Location, planted: Planted): string[] {
  return free.flatMap((kind) =>
    planted[kind]
      .filter((secret) => formsOf(secret).some((form) => content.includes(form)))
      .map((secret) => `${secret} in ${name}`),
  );
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')];
}
