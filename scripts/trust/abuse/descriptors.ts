// A running hub uses up its file descriptors, so that accept fails. Open connections keep working, one log line reports
// it, and new connections are accepted again once descriptors are free.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { type EventReader, openEvents } from '../../../test/support/http/event-reader.ts';
import { type KeptConnection, keepConnection } from '../../../test/support/http/kept-connection.ts';
import { register } from '../../../test/support/http/rest-client.ts';
import { linesOf } from '../clock/shifted-clock.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, expectSame, type Row, type Trial } from '../row.ts';

const SHORT_MS = 3_500; // longer than three checks of the hub
const CLOSED_AT_LEAST = 20;
const ATTEMPTS = 10;
const TIMEOUT_MS = 10_000;
const LOGGED = /file descriptors are nearly used up/;

type Served = { kept: KeptConnection; stream: EventReader; sent: number; complaints: string[] };

export const descriptors: Row = {
  name: 'descriptors',
  promise: 'a hub without free file descriptors serves its open connections, and recovers',
  test: (times) =>
    `${times} hubs whose limit of open files is lowered to their current use, with ${ATTEMPTS} new connections every 100 ms`,
  target: 'sends and streams continue, one log line, new connections afterwards',
  amounts: { least: 1, quick: 1, long: 20 },
  run: async (trial) => {
    if (spawnSync('prlimit', ['--version']).status !== 0) return { skipped: 'prlimit is not installed' };
    const complaints: string[] = [];
    let sent = 0;
    for (let time = 0; time < trial.amount; time++) {
      const served = await useUp(trial, await trial.start());
      sent += served.sent;
      complaints.push(...served.complaints);
    }
    return {
      figure: `${sent} sends while accept failed, ${complaints.length} complaints`,
      complaints: complaint('without descriptors', complaints),
    };
  },
};

async function useUp(trial: Trial, hub: Hub): Promise<Served> {
  const { networkToken: token } = await register(hub.url);
  const kept = keepConnection(hub.url, token);
  trial.atEnd(kept.close);
  const served: Served = {
    kept,
    stream: await openEvents(`${hub.url}/events/builder`, token),
    sent: 0,
    complaints: [],
  };
  await send(served);
  const unauthenticated = openUnauthenticated(trial, hub, lowerLimit(hub));
  await until(() => closedOf(unauthenticated).length >= CLOSED_AT_LEAST, TIMEOUT_MS);
  await serveWhileShort(trial, hub, served);
  for (const socket of unauthenticated) socket.destroy();
  served.complaints.push(
    ...(await expectRoom(hub, token)),
    ...expectSame('log lines about it', linesOf(hub.stdout(), LOGGED), 1),
  );
  await served.stream.close();
  kept.close();
  const { code } = await hub.kill('SIGTERM');
  served.complaints.push(...expectSame('it exited with', code, 0));
  return served;
}

/** Lowers it to the highest descriptor in use, and returns the limit. Free numbers below it can still be used. */
function lowerLimit({ pid }: Hub): number {
  const limit = Math.max(...readdirSync(`/proc/${pid}/fd`).map(Number)) + 1;
  const { status } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:${limit}`]);
  if (status !== 0) throw new Error('the limit could not be lowered');
  return limit;
}

function openUnauthenticated({ atEnd }: Trial, { port }: Hub, count: number): Socket[] {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  atEnd(() => sockets.forEach((socket) => socket.destroy()));
  return sockets;
}

const closedOf = (sockets: readonly Socket[]): Socket[] =>
  sockets.filter(({ destroyed, closed }) => destroyed || closed);

async function serveWhileShort(trial: Trial, hub: Hub, served: Served): Promise<void> {
  const attempts: Socket[] = [];
  for (const deadline = performance.now() + SHORT_MS; performance.now() < deadline; ) {
    attempts.push(...openUnauthenticated(trial, hub, ATTEMPTS));
    await send(served).catch((error: unknown) => served.complaints.push(`a send failed: ${String(error)}`));
    await after(100);
  }
  const taken = attempts.length - closedOf(attempts).length;
  if (taken > ATTEMPTS) served.complaints.push(`void: ${taken} of ${attempts.length} new connections were accepted`);
}

async function send(served: Served): Promise<void> {
  const { status, body } = await served.kept.ask('POST', '/api/tasks', {
    alias: 'builder',
    task: `task ${served.sent}`,
    from_session: `boss-${served.sent}`,
  });
  if (status !== 200) throw new Error(`${status} ${body}`);
  await served.stream.next('new_task', { task_id: JSON.parse(body).task_id });
  served.sent += 1;
}

async function expectRoom({ url }: Hub, token: string): Promise<string[]> {
  const isTaken = (): Promise<boolean> =>
    fetch(`${url}/health`, { headers: { connection: 'close' } }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const outcome = await until(isTaken, TIMEOUT_MS).then(
    () => [],
    () => ['no new connection was accepted afterwards'],
  );
  if (outcome.length > 0) return outcome;
  const stream = await openEvents(`${url}/events/tester`, token).catch((error: unknown) => String(error));
  if (typeof stream === 'string') return [`no new stream was accepted afterwards: ${stream}`];
  await stream.close();
  return [];
}
