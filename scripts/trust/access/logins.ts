// Many concurrent logins, each of which takes a quarter of a second to check, delay no one. No user exists: a login for
// an unknown name costs as much as any other. Logins beyond the queue limit are rejected at once.
import type { Hub } from '../hub.ts';
import { complaint, type Row } from '../row.ts';
import { PROXIED, postFrom } from './addresses.ts';

const LOGINS = 50;
const MAX_P99_MS = 50;

export const logins: Row = {
  name: 'logins',
  promise: 'a flood of logins delays no one',
  test: (seconds) => `/health requested for ${seconds} s while ${LOGINS} logins wait`,
  target: `p99 < ${MAX_P99_MS} ms`,
  amounts: { least: 1, quick: 3, long: 10 },
  isAlone: true,
  run: async (trial) => {
    const hub = await trial.start({ args: PROXIED });
    const waiting = Array.from({ length: LOGINS }, (_, number) =>
      postFrom(hub, `10.0.1.${number}`, '/api/auth/login', {
        username: `user${number}`,
        password: 'correct horse',
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const latencies = await requestHealth(hub, trial.amount * 1_000);
    const early = await Promise.all(waiting.map((login) => Promise.race([login, Promise.resolve(undefined)])));
    const p99 = latencies.toSorted((one, other) => one - other)[Math.floor(latencies.length * 0.99)] ?? Infinity;
    return {
      figure: `p99 ${p99.toFixed(1)} ms of ${latencies.length}`,
      complaints: [
        ...(p99 < MAX_P99_MS ? [] : [`p99 was ${p99.toFixed(1)} ms`]),
        ...(early.includes(undefined) ? [] : ['void: no login was waiting anymore']),
        ...complaint(
          'a login got another response',
          early.filter((status) => status !== undefined && status !== 401 && status !== 503),
        ),
      ],
    };
  },
};

async function requestHealth(hub: Hub, milliseconds: number): Promise<number[]> {
  const latencies: number[] = [];
  for (const deadline = performance.now() + milliseconds; performance.now() < deadline; ) {
    const startedAt = performance.now();
    await (await fetch(`${hub.url}/health`)).text();
    latencies.push(performance.now() - startedAt);
  }
  return latencies;
}
