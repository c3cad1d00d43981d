// Clients that begin TLS handshakes and leave, from many addresses, next to a tenant with several clients at one
// address.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { register } from '../../../test/support/http/rest-client.ts';
import { hasOpenssl, newCertificate } from '../../../test/support/process/certificate.ts';
import type { Hub } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import { repeat } from './attack.ts';
import { MAX_NEWCOMER_MS, MAX_P99_MS, whileAlive } from './impact.ts';
import { percentile, type Seen, startNeighbor } from './neighbor.ts';
import { dial } from './wire.ts';

const LANES = 200;
const ADDRESSES = 50_000;
/** Of the tenant, at one address. */
const CLIENTS = 20;

export const handshakes: Row = {
  name: 'handshakes',
  promise: 'clients that begin TLS handshakes and leave do not hold up others',
  test: (seconds) => `${LANES} such clients from ${ADDRESSES} addresses for ${seconds} s, next to a tenant`,
  target: `no error, p99 < ${MAX_P99_MS} ms on open connections, new connections served within ${MAX_NEWCOMER_MS} ms`,
  amounts: { least: 0.2, quick: 5, long: 15 },
  isAlone: true,
  run: async (trial) => {
    if (!hasOpenssl) return { skipped: 'openssl is not installed' };
    const { hub, token } = await startSecureHub(trial);
    const hello = await firstBytes();
    const neighbor = await startNeighbor(hub, { networkToken: token }, { isSecure: true, newcomers: CLIENTS });
    const deadline = performance.now() + trial.amount * 1_000;
    await whileAlive(hub, () => repeat(LANES, () => beginAndLeave(hub, hello, trial))(isAfter(deadline)));
    const seen = await neighbor.stop();
    return { figure: figureOf(seen), complaints: complaintsOf(seen, trial) };
  },
};

const isAfter = (deadline: number) => (): boolean => performance.now() > deadline;

/** The account is created before the hub has a certificate, which no client would trust. */
async function startSecureHub(trial: Trial): Promise<{ hub: Hub; token: string }> {
  const data = join(trial.directory(), 'data');
  const plain = await trial.start({ data });
  const { networkToken: token } = await register(plain.url, 'ada');
  await plain.kill('SIGTERM');
  const [certificate, key] = newCertificate(trial.directory(), 'localhost');
  const hub = await trial.start({ data, args: ['--tls-cert', certificate, '--tls-key', key] });
  return { hub, token };
}

/** The first bytes of a TLS client, as they are on the wire. */
async function firstBytes(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = connectSecurely({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on(
    'error',
    () => {},
  );
  const [socket] = (await accepted) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  server.close();
  return hello;
}

/** Leaves at the first byte of the answer, which the hub has computed its key for. */
async function beginAndLeave(hub: Hub, hello: Buffer, { draws }: Trial): Promise<void> {
  const number = Math.floor(draws.below(ADDRESSES));
  const socket = dial(hub, `127.0.${1 + Math.floor(number / 250)}.${1 + (number % 250)}`);
  socket.once('data', () => socket.resetAndDestroy());
  socket.write(hello);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

function figureOf({ latencies, newcomers }: Seen): string {
  return `p99 ${Math.round(percentile(latencies, 0.99))} ms, new connection ${Math.round(Math.max(0, ...newcomers))} ms`;
}

function complaintsOf({ latencies, newcomers, refused, tasks }: Seen, { size }: Trial): string[] {
  const isTimed = size !== 'least'; // which runs while other tests run
  const [p99, newcomer] = [percentile(latencies, 0.99), Math.max(0, ...newcomers)];
  return [
    ...complaint('the tenant was refused', refused),
    ...(tasks.length === 0 ? ['void: the tenant sent nothing'] : []),
    ...(isTimed && p99 > MAX_P99_MS ? [`p99 of the tenant was ${p99.toFixed(0)} ms`] : []),
    ...(isTimed && newcomer > MAX_NEWCOMER_MS ? [`a new connection waited ${newcomer.toFixed(0)} ms`] : []),
  ];
}
