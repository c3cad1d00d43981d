// A database that fails under a running hub: the hub exits at once with a line that says so, and a restart has
// everything acknowledged, or rejects the damaged file.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type RestClient, register, restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import { type Hub, run, serveArguments, until } from '../hub.ts';
import { share } from '../lanes.ts';
import { complaint, expectSame, type Row, type Trial } from '../row.ts';

const EXIT_FATAL = 70;
const ENDS_WITHIN_MS = 5_000;
const ATTACHED_WITHIN_MS = 10_000;
const PAGE = 4_096;

type Failure = {
  name: string;
  /** What the last line must name. */
  code: string;
  tasks: number;
  /** Makes the database fail. The returned function ends that. */
  begin(hub: Hub): Promise<() => unknown>;
  /** Whether the file is intact afterwards. */
  isWhole: boolean;
};

const FAILURES: readonly Failure[] = [
  { name: 'an fsync fails', code: 'SQLITE_IOERR', tasks: 20, begin: inject('fdatasync,fsync'), isWhole: true },
  { name: 'a write fails', code: 'SQLITE_IOERR', tasks: 20, begin: inject('pwrite64'), isWhole: true },
  { name: 'its pages turn to zeros', code: 'SQLITE_CORRUPT', tasks: 1_000, begin: zero, isWhole: false }, // more than fits in the page cache
];

export const failStop: Row = {
  name: 'fail-stop',
  promise: 'a failing database stops the hub at once',
  test: (times) => `a failing fsync, a failing write and lost pages under a running hub, ${times} times each`,
  target: `code ${EXIT_FATAL} and a line, and a restart has everything, or rejects the file`,
  amounts: { least: 1, quick: 1, long: 10 },
  run: async (trial) => {
    if (spawnSync('strace', ['-V']).status !== 0) return { skipped: 'strace is not installed' };
    const failures = trial.size === 'least' ? FAILURES.slice(0, 2) : FAILURES;
    const complaints: string[] = [];
    for (let time = 0; time < trial.amount; time++) {
      for (const failure of failures) complaints.push(...(await failUnderLoad(trial, failure)));
    }
    return { figure: `${failures.length * trial.amount} failures, ${complaints.length} exceptions`, complaints };
  },
};

async function failUnderLoad(trial: Trial, failure: Failure): Promise<string[]> {
  const hub = await trial.start();
  const { networkToken: token } = await register(hub.url);
  const acknowledged = await sendSome(restClient(hub.url, token), failure.tasks);
  const stop = await failure.begin(hub);
  const complaints = await expectEnd(hub, restClient(hub.url, token), failure);
  await stop();
  await hub.kill('SIGKILL'); // in case it still runs
  complaints.push(
    ...(failure.isWhole ? await expectRecovery(trial, hub, token, acknowledged) : await expectRefusal(trial, hub)),
  );
  return complaints.map((each) => `${failure.name}: ${each}`);
}

async function sendSome(rest: RestClient, count: number): Promise<Set<string>> {
  const ids = new Set<string>();
  await share(
    Array.from({ length: count }, (_, number) => number),
    16,
    async (number) => {
      const { body } = await rest.post('/api/tasks', {
        alias: 'builder',
        task: `task ${number} `.padEnd(9_000, 'x'),
        from_session: `boss-${number}`,
      });
      ids.add(textOf(body, 'task_id'));
    },
  );
  return ids;
}

/** Whatever is requested then, nothing more is acknowledged, and the hub exits. */
async function expectEnd(hub: Hub, rest: RestClient, { code }: Failure): Promise<string[]> {
  const ask = async (): Promise<string[]> => {
    const listed = await rest.get('/api/tasks?limit=500').catch(() => undefined);
    const sent = await rest
      .post('/api/tasks', { alias: 'builder', task: 'too late', from_session: 'boss' })
      .catch(() => undefined);
    return listed?.status === 200 && sent?.status === 200 ? ['a send was acknowledged'] : [];
  };
  const acknowledged = await ask();
  const ending = await Promise.race([hub.ended, after(ENDS_WITHIN_MS, undefined)]);
  const output = hub.stderr().trim();
  return [
    ...acknowledged,
    ...expectSame('ended with', ending?.code, EXIT_FATAL),
    ...(output.startsWith(`agenthub: the database failed (${code}`) && !output.includes('\n')
      ? []
      : [`it printed ${output.slice(0, 200)}`]),
    ...(/"level":"fatal".*the database failed/.test(hub.stdout()) ? [] : ['the log does not say why it ended']),
  ];
}

async function expectRecovery(
  trial: Trial,
  { data }: Hub,
  token: string,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const hub = await trial.start({ data });
  const stored = new Set((await listTasks(restClient(hub.url, token), '')).map(({ task_id }) => task_id));
  const again = await restClient(hub.url, token).post('/api/tasks', {
    alias: 'builder',
    task: 'again',
    from_session: 'boss',
  });
  return [
    ...complaint(
      'an acknowledged task is gone',
      [...acknowledged].filter((id) => !stored.has(id)),
    ),
    ...expectSame('a send after the restart', again.status, 200),
  ];
}

async function expectRefusal({ command }: Trial, { data }: Hub): Promise<string[]> {
  const again = run(command, serveArguments(data));
  const { code } = await again.ended;
  return [
    ...expectSame('a restart on the damaged file ended with', code, 1),
    ...(/^agenthub: [^\n]+\n$/.test(again.stderr()) ? [] : [`it printed ${again.stderr()}`]),
  ];
}

/** Makes these calls of the running hub return EIO. */
export function inject(calls: string) {
  return async ({ pid }: Hub): Promise<() => unknown> => {
    const tracer = spawn(
      'strace',
      ['-f', '-qq', '-p', String(pid), '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await until(() => isTraced(pid), ATTACHED_WITHIN_MS);
    return async () => {
      if (tracer.exitCode !== null) return;
      tracer.kill();
      await once(tracer, 'exit');
    };
  };
}

/** Or has already exited because of it: a sweep can write as soon as the tracer is attached. */
function isTraced(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || /^TracerPid:\s+[1-9]/m.test(readFileSync(status, 'utf8'));
}

async function zero({ data }: Hub): Promise<() => void> {
  const file = join(data, 'agenthub.db');
  const descriptor = openSync(file, 'r+');
  const size = statSync(file).size;
  for (let at = PAGE; at < size; at += PAGE) writeSync(descriptor, Buffer.alloc(PAGE), 0, PAGE, at);
  closeSync(descriptor);
  return () => {};
}
