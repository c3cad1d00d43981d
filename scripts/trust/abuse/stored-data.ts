// Attacks with work that grows with what a network stores: filters without an index, resumed streams, removal.
import { setTimeout as after } from 'node:timers/promises';
import { restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { type Attack, type AttackContext, callInBatches, repeat } from './attack.ts';
import { ask, dial, requestText, rpc, toolCall } from './wire.ts';

const SESSIONS = 50_000;
const SERVER = 'build-1';
const FILTERING_LANES = 4;

/** None has both the status and the server, and no index covers the two together. */
export const filteredStatus: Attack = {
  name: 'status lists with two filters',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const reports = Array.from({ length: share(SESSIONS) }, (_, number) => ({
      resume_id: `session-${number}`,
      alias: `agent-${number}`,
      status: number % 2 === 0 ? 'idle' : 'working',
      server: number % 2 === 0 ? SERVER : 'build-2',
    }));
    await callInBatches(context, mallory.networkToken, 'report_status', reports);
    const filter = { filter_status: 'working', filter_server: SERVER };
    return repeat(FILTERING_LANES, () => ask(hub, rpc(mallory.networkToken, toolCall('get_all_status', filter))));
  },
};

const EVENTS_OF_OTHERS = 150_000;
const RESUMING_LANES = 4;
const RESUME_MS = 300;

/** All events since the last event id are addressed to others, so each resume has to skip them. */
export const resumedStreams: Attack = {
  name: 'streams that resume after thousands of events of others',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const lastEventId = await firstEventId(context);
    const sends = Array.from({ length: share(EVENTS_OF_OTHERS) }, (_, number) => ({
      alias: `other-${number % 50}`,
      message: 'm',
      from_session: `m${number}`,
    }));
    await callInBatches(context, mallory.networkToken, 'send_message', sends);
    const request = { path: '/events/reader', token: mallory.networkToken, headers: { 'Last-Event-ID': lastEventId } };
    return repeat(RESUMING_LANES, () => ask(hub, request, { timeoutMs: RESUME_MS }));
  },
};

/** The id of an event on the stream of this agent. */
async function firstEventId({ hub, mallory }: AttackContext): Promise<string> {
  const socket = dial(hub);
  socket.write(requestText({ path: '/events/reader', token: mallory.networkToken }));
  const found = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const id = /^id: (\S+)$/m.exec(text)?.[1];
      if (id !== undefined) resolve(id);
    });
    socket.once('close', () => reject(new Error(`the stream closed after ${text}`)));
  });
  const message = { alias: 'reader', message: 'first', from_session: 'mallory' };
  await ask(hub, rpc(mallory.networkToken, toolCall('send_message', message)));
  return found.finally(() => socket.destroy());
}

const LONG_TASKS = 300;
const SHORT_TASKS = 60_000;
const LONG = '\u{1f600}'.repeat(9_990);
const CHECK_MS = 100;
/** The hub removes the rows in the background, at most a second later. */
const REMOVAL_MS = 2_500;

/** A network with long texts and many rows. */
export const removal: Attack = {
  name: 'a large network that is deleted',
  prepare: async (context) => {
    const { hub, mallory, share } = context;
    const rest = restClient(hub.url, mallory.userToken);
    const network_id = textOf((await rest.post('/api/networks', { name: 'large' })).body, 'network_id');
    const token = textOf((await rest.post('/api/tokens', { name: 'filler', network_id })).body, 'token');
    const tasksOf = (count: number, texts: object): object[] =>
      Array.from({ length: count }, (_, number) => ({ alias: 'full', from_session: `m${number}`, ...texts }));
    await callInBatches(context, token, 'send_task', tasksOf(share(LONG_TASKS), { task: LONG, context: LONG }), 8);
    await callInBatches(context, token, 'send_task', tasksOf(share(SHORT_TASKS), { task: 't' }));
    return async (isOver) => {
      const request = { method: 'DELETE', path: `/api/networks/${network_id}`, token: mallory.userToken };
      const { status } = await ask(hub, request);
      const end = performance.now() + REMOVAL_MS;
      while (!isOver() || performance.now() < end) await after(CHECK_MS);
      return status === 200 ? [] : [`deleting a network returned ${status}`];
    };
  },
};
