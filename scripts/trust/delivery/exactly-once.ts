// One idempotency key, one effect: every send is made one to five times, concurrently or in sequence. All but the last
// can lose their connection before the request is complete, before the response, or during it.
import { connect } from 'node:net';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import type { Draws } from '../../support/random.ts';
import type { Hub } from '../hub.ts';
import { share } from '../lanes.ts';
import { complaint, expectSame, type Row } from '../row.ts';

const LANES = 16;
const MOST_TRIES = 5;
const SILENCE_MS = 30_000;

/**
 * When the connection is cut: after half of the request, once it is sent, at the first byte of the response, or never.
 */
const CUTS = ['half sent', 'sent', 'answer begun', 'never'] as const;
type Cut = (typeof CUTS)[number];

type Replies = { ids: Set<string>; cuts: number };

export const exactlyOnce: Row = {
  name: 'exactly-once',
  promise: 'a send repeated with its key has one effect',
  test: (sends) =>
    `${sends} sends, each 1 to 5 times with one idempotency key, connections cut before and after the response`,
  target: 'as many tasks as keys, one response each',
  amounts: { least: 60, quick: 1_000, long: 10_000 },
  run: async (trial) => {
    const hub = await trial.start();
    const { networkToken: token } = await register(hub.url);
    const sends = Array.from({ length: trial.amount }, (_, number) => number);
    const responses = new Map<number, Replies>();
    await share(
      sends,
      LANES,
      async (number) => void responses.set(number, await sendRepeatedly(hub, token, number, trial.draws)),
    );
    const stored = await listTasks(restClient(hub.url, token), '');
    const contents = new Set(stored.map(({ content }) => content));
    const cuts = [...responses.values()].reduce((sum, each) => sum + each.cuts, 0);
    return {
      figure: `${stored.length} tasks of ${trial.amount} keys, ${cuts} connections cut`,
      complaints: [
        ...expectSame('tasks stored', stored.length, trial.amount),
        ...expectSame('different tasks stored', contents.size, trial.amount),
        ...complaint(
          'not one response',
          [...responses]
            .filter(([, { ids }]) => ids.size !== 1)
            .map(([number, { ids }]) => `${number}: ${[...ids].join(' ')}`),
        ),
      ],
    };
  },
};

async function sendRepeatedly(hub: Hub, token: string, number: number, draws: Draws): Promise<Replies> {
  const request = requestOf(token, number);
  const cuts = Array.from({ length: Math.floor(draws.below(MOST_TRIES)) }, () => draws.oneOf(CUTS));
  const results =
    draws.below(1) < 0.5
      ? await Promise.all(cuts.map((cut) => exchange(hub, request, cut)))
      : await inTurn(cuts, (cut) => exchange(hub, request, cut));
  results.push(await exchange(hub, request, 'never'));
  return {
    ids: new Set(results.filter((id) => id !== undefined)),
    cuts: cuts.filter((cut) => cut !== 'never').length,
  };
}

async function inTurn<Item, Result>(items: readonly Item[], act: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}

function requestOf(token: string, number: number): Buffer {
  const body = JSON.stringify({
    alias: 'builder',
    task: `task ${number}`,
    from_session: `boss-${number}`,
    idempotency_key: `key-${number}`,
  });
  const head = [
    'POST /api/tasks HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** The task_id of the response, or undefined when the connection was cut before it. */
function exchange(hub: Hub, request: Buffer, cut: Cut): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect({ host: '127.0.0.1', port: hub.port });
    socket.setTimeout(SILENCE_MS, () => reject(new Error('no answer')));
    socket.on('error', () => {}); // a cut can be reported as a reset
    socket.on('close', () => (cut === 'never' ? resolve(taskIdIn(response, reject)) : resolve(undefined)));
    socket.on('data', (chunk: Buffer) => {
      response += chunk.toString();
      if (cut === 'answer begun') socket.resetAndDestroy();
    });
    socket.write(cut === 'half sent' ? request.subarray(0, request.length / 2) : request, () => {
      if (cut === 'half sent' || cut === 'sent') socket.resetAndDestroy();
    });
  });
}

function taskIdIn(response: string, reject: (error: Error) => void): string | undefined {
  const id = /^HTTP\/1\.1 200[\s\S]*"task_id":"(\w+)"/.exec(response)?.[1];
  if (id === undefined) reject(new Error(`the last try got ${response.slice(0, 200) || 'nothing'}`));
  return id;
}
