// Database reads that fail with an I/O error under a running hub. SQLite reports them like a damaged file, so the hub
// exits as after a failed write. First, every request that waits for a read gets status 500 and a log line.
import { spawnSync } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { type RestClient, register, restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import type { Hub } from '../hub.ts';
import { complaint, expectSame, type Row, type Trial } from '../row.ts';
import { inject } from './fail-stop.ts';

const EXIT_FATAL = 70;
const ENDS_WITHIN_MS = 5_000;
const TASKS = 40;
const READS_AT_ONCE = 10;

type Reply = { path: string; status: number | 'none'; error: string; text: string };

export const readErrors: Row = {
  name: 'read-errors',
  promise: 'a failed read returns an error, and stops the hub',
  test: (times) =>
    `every read of a running hub fails with EIO, ${times} times, under ${READS_AT_ONCE} requests at once`,
  target: `500 internal_error and a log line, no wrong data, code ${EXIT_FATAL}, and a restart has everything`,
  amounts: { least: 1, quick: 2, long: 20 },
  run: async (trial) => {
    if (spawnSync('strace', ['-V']).status !== 0) return { skipped: 'strace is not installed' };
    const complaints: string[] = [];
    let refused = 0;
    for (let time = 0; time < trial.amount; time++) {
      const found = await failReads(trial);
      refused += found.refused;
      complaints.push(...found.complaints);
    }
    return {
      figure: `${refused} requests failed, ${complaints.length} complaints`,
      complaints: complaint('with failing reads', complaints),
    };
  },
};

async function failReads(trial: Trial): Promise<{ refused: number; complaints: string[] }> {
  const hub = await trial.start();
  const { networkToken: token } = await register(hub.url);
  const rest = restClient(hub.url, token);
  const stored = await sendTasks(rest);
  const stop = await inject('pread64')(hub);
  const responses = await readAll(rest, [...stored.keys()]);
  const ending = await Promise.race([hub.ended, after(ENDS_WITHIN_MS, undefined)]);
  await stop();
  await hub.kill('SIGKILL'); // in case it still runs
  const refused = responses.filter(({ status }) => status === 500);
  return {
    refused: refused.length,
    complaints: [
      ...(refused.length === 0 ? ['no request was answered with 500'] : []),
      ...complaint(
        'got another error',
        refused.filter(({ error }) => error !== 'internal_error').map(({ path, error }) => `${path}: ${error}`),
      ),
      ...complaint(
        'a response differs from the stored data',
        responses.filter((response) => isWrong(response, stored)).map(({ path }) => path),
      ),
      ...complaint(
        'got another response',
        responses
          .filter(({ status }) => ![200, 500, 'none'].includes(status))
          .map(({ path, status }) => `${path}: ${status}`),
      ),
      ...(/"level":"error".*"request failed"/.test(hub.stdout()) ? [] : ['the log does not name it']),
      ...expectSame('it ended with', ending?.code, EXIT_FATAL),
      ...(hub.stderr().startsWith('agenthub: the database failed (SQLITE_')
        ? []
        : [`it printed ${hub.stderr().slice(0, 200)}`]),
      ...(await expectAll(trial, hub, token, stored)),
    ],
  };
}

/** What was sent, by its id. The last write makes the read connection drop its cached pages. */
async function sendTasks(rest: RestClient): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (let number = 0; number < TASKS; number++) {
    const task = `task ${number} `.padEnd(9_000, 'x');
    const { body } = await rest.post('/api/tasks', { alias: 'builder', task, from_session: `boss-${number}` });
    stored.set(textOf(body, 'task_id'), task);
  }
  return stored;
}

function readAll(rest: RestClient, ids: readonly string[]): Promise<Reply[]> {
  const paths = [
    '/api/tasks?limit=500',
    '/api/messages',
    '/api/stats',
    ...ids.slice(0, READS_AT_ONCE - 3).map((id) => `/api/tasks/${id}`),
  ];
  return Promise.all(
    paths.map((path) =>
      rest.get(path).then(
        ({ status, body }): Reply => ({ path, status, error: String(body.error), text: JSON.stringify(body) }),
        (): Reply => ({ path, status: 'none', error: '', text: '' }),
      ),
    ),
  );
}

/** Checks responses with status 200: the list contains all tasks, and a task its content. */
function isWrong({ path, status, text }: Reply, stored: ReadonlyMap<string, string>): boolean {
  if (status !== 200) return false;
  if (path.startsWith('/api/tasks?')) return ![...stored.values()].every((content) => text.includes(content));
  const content = stored.get(path.slice('/api/tasks/'.length));
  return content !== undefined && !text.includes(content);
}

async function expectAll(
  trial: Trial,
  { data }: Hub,
  token: string,
  stored: ReadonlyMap<string, string>,
): Promise<string[]> {
  const hub = await trial.start({ data });
  const found = new Map(
    (await listTasks(restClient(hub.url, token), '')).map(({ task_id, content }) => [task_id, content]),
  );
  return complaint(
    'an acknowledged task is gone',
    [...stored].filter(([id, content]) => found.get(id) !== content).map(([id]) => id),
  );
}
