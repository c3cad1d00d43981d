// Readers that open a stream and then read nothing: they use little memory, delay no one, and are closed once they are
// too far behind.
import { connect, type Socket } from 'node:net';
import { openEvents } from '../../../test/support/http/event-reader.ts';
import { type Account, register, restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { residentBytes } from '../access/addresses.ts';
import { type Hub, openFiles, until } from '../hub.ts';
import { share } from '../lanes.ts';
import { expectSame, type Row } from '../row.ts';

type Stalled = {
  socket: Socket;
  /** What it was sent before it was closed. */
  text(): string;
};

const STREAMS_PER_TOKEN = 95;
const SENDERS = 4;
const TASKS = 600;
const TASK_CHARACTERS = 9_000;
const MAX_BYTES_PER_READER = 2 * 1024 * 1024;
/** Connections of the senders, and of the good reader. */
const KEPT_ALIVE = 12;
const TIMEOUT_MS = 6_000;
/** A late reader can be less than a mebibyte behind. More is sent until all are closed, up to this time. */
const MORE_TASKS = 100;
const MORE_MS = 15_000;

export const stalledReaders: Row = {
  name: 'stalled-readers',
  promise: 'stalled readers cost little and delay no one',
  test: (readers) =>
    `${readers} readers that read nothing while ${Math.round((TASKS * TASK_CHARACTERS * 2) / 1e6)} MB of events pass`,
  target: `< ${MAX_BYTES_PER_READER / 1024 / 1024} MiB of memory each, all closed. A good reader gets all events, a reconnecting one the rest`,
  amounts: { least: 40, quick: 200, long: 200 },
  isAlone: true,
  run: async (trial) => {
    const hub = await trial.start();
    const account = await register(hub.url);
    const files = openFiles(hub.pid);
    const good = await openEvents(`${hub.url}/events/builder`, account.networkToken);
    const stalled = await openStalled(hub, account, trial.amount);
    trial.atEnd(() => stalled.forEach(({ socket }) => socket.destroy()));
    const before = residentBytes(hub.pid);
    const { peak, sent } = await sendUntilClosed(
      hub,
      account.networkToken,
      () => openFiles(hub.pid) <= files + KEPT_ALIVE,
    );
    const perReader = Math.max(0, peak - before) / trial.amount;
    await until(() => arrivedAt(good) >= sent, TIMEOUT_MS).catch(() => {});
    const open = await leftOpen(stalled);
    await good.close();
    const missing = open > 0 ? 0 : await missingAfterReturn(hub, account, stalled[0], sent);
    return {
      figure: `${Math.round(perReader / 1024)} KiB each, ${open} still open, ${arrivedAt(good)} of ${sent} events read by another`,
      complaints: [
        ...(perReader < MAX_BYTES_PER_READER ? [] : [`memory grew by ${Math.round(peak - before) / 1e6} MB`]),
        ...expectSame('events of the good reader', arrivedAt(good), sent),
        ...expectSame('stalled readers left open', open, 0),
        ...expectSame('events missing after a reconnect', missing, 0),
      ],
    };
  },
};

function arrivedAt(reader: Awaited<ReturnType<typeof openEvents>>): number {
  return reader.arrived().filter(({ name }) => name === 'new_task').length;
}

/** A token can hold a hundred streams, so they use several. */
async function openStalled(hub: Hub, { userToken }: Account, count: number): Promise<Stalled[]> {
  const rest = restClient(hub.url, userToken);
  const opened: Stalled[] = [];
  while (opened.length < count) {
    const token = textOf((await rest.post('/api/tokens', { name: `reader ${opened.length}` })).body, 'token');
    const more = Math.min(STREAMS_PER_TOKEN, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: more }, () => openAndStall(hub, token)))));
  }
  return opened;
}

/** Reads only the first bytes, which prove that the stream is open. */
function openAndStall(hub: Hub, token: string): Promise<Stalled> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: hub.port });
    socket.on('error', () => {});
    socket.once('close', () => reject(new Error('a stream was closed before it began')));
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      const chunks = [chunk];
      socket.on('data', (more: Buffer) => chunks.push(more));
      if (chunk.toString().startsWith('HTTP/1.1 200'))
        resolve({ socket, text: () => Buffer.concat(chunks).toString() });
      else reject(new Error(`a stream returned ${chunk.toString().slice(0, 100)}`));
    });
    socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  });
}

/** Returns the hub's peak memory meanwhile, and how many tasks were sent. */
async function sendUntilClosed(
  hub: Hub,
  token: string,
  areClosed: () => boolean,
): Promise<{ peak: number; sent: number }> {
  let peak = await send(hub, token, 0, TASKS);
  let sent = TASKS;
  const end = performance.now() + MORE_MS;
  await until(areClosed, TIMEOUT_MS).catch(() => {});
  while (!areClosed() && performance.now() < end) {
    peak = Math.max(peak, await send(hub, token, sent, MORE_TASKS));
    sent += MORE_TASKS;
    await until(areClosed, TIMEOUT_MS / 4).catch(() => {});
  }
  return { peak, sent };
}

/** Returns the hub's peak memory meanwhile. */
async function send(hub: Hub, token: string, from: number, count: number): Promise<number> {
  const rest = restClient(hub.url, token);
  let peak = 0;
  await share(
    Array.from({ length: count }, (_, number) => from + number),
    SENDERS,
    async (number) => {
      const { status } = await rest.post('/api/tasks', {
        alias: 'builder',
        task: `${number} `.padEnd(TASK_CHARACTERS, 'x'),
        from_session: `boss-${number}`,
      });
      if (status !== 200) throw new Error(`a send returned ${status}`);
      peak = Math.max(peak, residentBytes(hub.pid));
    },
  );
  return peak;
}

/**
 * Reads what the system still buffers for them, which is almost a gigabyte. Then the end is visible, if there is one.
 * As long as bytes arrive, it waits.
 */
async function leftOpen(stalled: readonly Stalled[]): Promise<number> {
  const left = (): Stalled[] => stalled.filter(({ socket }) => !socket.closed && !socket.readableEnded);
  for (const { socket } of stalled) socket.resume();
  for (let before = -1, now = bytesRead(stalled); now > before && left().length > 0; now = bytesRead(stalled)) {
    before = now;
    await until(() => left().length === 0, TIMEOUT_MS).catch(() => {});
  }
  return left().length;
}

function bytesRead(stalled: readonly Stalled[]): number {
  return stalled.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
}

/**
 * Everything sent since the reader connected: what it got before it was closed, and what it gets after it reconnects.
 */
async function missingAfterReturn(
  hub: Hub,
  { networkToken }: Account,
  reader: Stalled | undefined,
  sent: number,
): Promise<number> {
  const had = [...(reader?.text() ?? '').matchAll(/id: ([\w-]+)\nevent: new_task\ndata: [^\n]*\n\n/g)].map(
    ([, id = '']) => id,
  );
  const back = await openEvents(`${hub.url}/events`, networkToken, { lastEventId: had.at(-1) ?? '' });
  await until(() => had.length + arrivedAt(back) >= sent, TIMEOUT_MS).catch(() => {});
  await back.close();
  return sent - had.length - arrivedAt(back);
}
