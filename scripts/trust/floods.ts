// Floods: many logins at once hold nobody else up, limits are exact, clients that dribble are cut off, and a hundred thousand
// addresses cost little and are forgotten.
import { connect } from 'node:net';
import { register } from '../../test/support/rest-client.ts';
import { floodFrom, postFrom, residentBytes } from './addresses.ts';
import { until, type Hub } from './hub.ts';
import { complaint, expectSame, type Row } from './row.ts';

const PROXIED = ['--trust-proxy', '1'];
const LOGINS = 50;
const MAX_P99_MS = 50;

export const logins: Row = {
  name: 'logins',
  promise: 'a flood of logins holds nobody up',
  test: (seconds) => `/health asked for ${seconds} s while ${LOGINS} logins wait`,
  target: `p99 < ${MAX_P99_MS} ms`,
  amounts: { least: 1, quick: 3, long: 10 },
  isAlone: true,
  run: async (trial) => {
    const hub = await trial.start({ args: PROXIED });
    await register(hub.url);
    const waiting = Array.from({ length: LOGINS }, (_, number) =>
      postFrom(hub, `10.0.1.${number}`, '/api/auth/login', { username: 'ada', password: 'correct horse' }).then(({ status }) => status, () => 0));
    const latencies = await askHealth(hub, trial.amount * 1_000);
    const early = await Promise.all(waiting.map((login) => Promise.race([login, Promise.resolve(undefined)])));
    const p99 = latencies.toSorted((one, other) => one - other)[Math.floor(latencies.length * 0.99)] ?? Infinity;
    return {
      figure: `p99 ${p99.toFixed(1)} ms of ${latencies.length}`,
      complaints: [
        ...(p99 < MAX_P99_MS ? [] : [`p99 was ${p99.toFixed(1)} ms`]),
        ...complaint('a login failed', early.filter((status) => status !== undefined && status !== 200)),
      ],
    };
  },
};

async function askHealth(hub: Hub, milliseconds: number): Promise<number[]> {
  const latencies: number[] = [];
  for (const deadline = performance.now() + milliseconds; performance.now() < deadline; ) {
    const asked = performance.now();
    await (await fetch(`${hub.url}/health`)).text();
    latencies.push(performance.now() - asked);
  }
  return latencies;
}

export const limits: Row = {
  name: 'limits',
  promise: 'rate limits are exact, and counted apart',
  test: (addresses) => `45 registers and 25 logins at once from each of ${addresses} addresses`,
  target: '15 and 15 refused with 429 each',
  amounts: { least: 1, quick: 10, long: 100 },
  run: async (trial) => {
    const hub = await trial.start({ args: PROXIED });
    const complaints: string[] = [];
    for (let number = 0; number < trial.amount; number++) {
      const ask = (path: string, times: number) => Promise.all(Array.from({ length: times }, () => postFrom(hub, `10.0.2.${number}`, path, {})));
      const [registers, tries] = await Promise.all([ask('/api/auth/register', 45), ask('/api/auth/login', 25)]);
      const refused = [...registers, ...tries].filter(({ status }) => status === 429);
      complaints.push(
        ...expectSame('registers refused', registers.filter(({ status }) => status === 429).length, 15),
        ...expectSame('logins refused', tries.filter(({ status }) => status === 429).length, 15),
        ...complaint('no Retry-After', refused.filter(({ retryAfter }) => !(Number(retryAfter) >= 1))),
      );
    }
    return { figure: `${complaints.length} exceptions at ${trial.amount} addresses`, complaints };
  },
};

/** The listener looks at its connections every 30 seconds: what it allows them is 15 and 60. */
const HEADERS_CUT_MS = 50_000;
const BODY_CUT_MS = 100_000;
const ANSWER_MS = 1_000;

export const slowClients: Row = {
  name: 'slow-clients',
  promise: 'clients that dribble are cut off',
  test: (connections) => `${connections} connections that send a header byte every second${connections > 20 ? ', as many a body byte' : ''}`,
  target: 'all closed; others served meanwhile',
  amounts: { least: 5, quick: 20, long: 200 },
  isIdle: true,
  run: async (trial) => {
    const hub = await trial.start();
    const isLong = trial.size === 'long';
    const started = performance.now();
    const headers = Array.from({ length: trial.amount }, () => dribble(hub, 'GET /health HTTP/1.1\r\nX-Slow: '));
    const bodies = isLong ? Array.from({ length: trial.amount }, () => dribble(hub, BODY_BEGUN)) : [];
    const asked = performance.now();
    await (await fetch(`${hub.url}/health`)).text();
    const answerMs = performance.now() - asked;
    await until(() => headers.every(isClosed), HEADERS_CUT_MS, 100).catch(() => {});
    const headersMs = performance.now() - started;
    if (isLong) await until(() => bodies.every(isClosed), BODY_CUT_MS - headersMs, 100).catch(() => {});
    const left = [...headers, ...bodies].filter((connection) => !isClosed(connection));
    return {
      figure: `${left.length} left open; headers cut after ${Math.round(headersMs / 1_000)} s${isLong ? `, bodies after ${Math.round((performance.now() - started) / 1_000)} s` : ''}`,
      complaints: [...expectSame('left open', left.length, 0), ...(answerMs < ANSWER_MS ? [] : [`/health took ${answerMs} ms beside them`])],
    };
  },
};

const BODY_BEGUN = 'POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';

type Dribble = ReturnType<typeof connect>;

function dribble(hub: Hub, beginning: string): Dribble {
  const socket = connect({ host: '127.0.0.1', port: hub.port });
  const drip = setInterval(() => socket.writable && socket.write('x'), 1_000);
  socket.on('error', () => {}).on('close', () => clearInterval(drip));
  socket.resume().write(beginning);
  return socket;
}

function isClosed(socket: Dribble): boolean {
  return socket.closed || socket.readableEnded;
}

const MAX_GROWTH_BYTES = 64e6;
/** Enough for the memory of a busy hub to have reached its usual size. */
const WARMING = 40_000;
const FLOODERS = 4;
const FORGOTTEN_MS = 150_000;

export const manyAddresses: Row = {
  name: 'many-addresses',
  promise: 'a flood from many addresses costs little',
  test: (addresses) => `${addresses} distinct X-Forwarded-For behind one trusted proxy`,
  target: `memory grows by < ${MAX_GROWTH_BYTES / 1e6} MB`,
  amounts: { least: 5_000, quick: 100_000, long: 400_000 },
  isAlone: true,
  run: async (trial) => {
    const hub = await trial.start({ args: [...PROXIED, ...(trial.size === 'long' ? ['--log-level', 'debug'] : [])] });
    await flood(hub, Array.from({ length: WARMING }, () => '10.255.255.255'));
    const before = residentBytes(hub.pid);
    const answered = await flood(hub, addresses(trial.amount));
    const grown = residentBytes(hub.pid) - before;
    const forgotten = trial.size === 'long' ? await addressesForgotten(hub, trial.amount) : undefined;
    return {
      figure: `${Math.round(grown / 1e6)} MB${forgotten === undefined ? '' : `, ${forgotten} forgotten`}`,
      complaints: [
        ...expectSame('answered 400', answered, trial.amount),
        ...(grown < MAX_GROWTH_BYTES ? [] : [`memory grew by ${Math.round(grown / 1e6)} MB`]),
        ...(forgotten === undefined ? [] : expectSame('forgotten', forgotten, trial.amount)),
      ],
    };
  },
};

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
}

/** Answers how many bad logins were answered 400. */
async function flood(hub: Hub, from: readonly string[]): Promise<number> {
  const each = Math.ceil(from.length / FLOODERS);
  const counts = await Promise.all(Array.from({ length: FLOODERS }, (_, lane) => floodFrom(hub, from.slice(lane * each, (lane + 1) * each), 400)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** As the sweep itself says in the log. */
async function addressesForgotten(hub: Hub, wanted: number): Promise<number> {
  const forgotten = (): number => [...hub.stdout().matchAll(/"addresses":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  await until(() => forgotten() >= wanted, FORGOTTEN_MS, 500).catch(() => {});
  return forgotten();
}
