// Attacks with broadcasts: one request writes a message to every agent.
import { restClient } from '../../../../test/support/http/rest-client.ts';
import { textOf } from '../../../../test/support/json.ts';
import { type Attack, type AttackContext, CONTROL, callInBatches, repeat } from '../attack.ts';
import { ask } from '../wire.ts';

const LISTENERS = 10_000;

/** Every broadcast goes to every online agent, in full. */
export const broadcasts: Attack = {
  name: 'broadcasts of long texts',
  prepare: async (context) => {
    await reportAll(context, context.share(LISTENERS));
    return repeat(2, () => sendBroadcast(context, CONTROL));
  },
};

const FEWER_LISTENERS = 2_000;
const BROADCASTING_LANES = 10;

export const parallelBroadcasts: Attack = {
  name: 'concurrent broadcasts',
  prepare: async (context) => {
    await reportAll(context, context.share(FEWER_LISTENERS));
    let number = 0;
    return repeat(BROADCASTING_LANES, () => sendBroadcast(context, `all hands, ${number++}`));
  },
};

const BROADCASTING_NETWORKS = 30;
const LISTENERS_EACH = 1_000;

/** One user with a network for each lane. Fairness among networks alone would give such a user nearly everything. */
export const broadcastsInManyNetworks: Attack = {
  name: 'broadcasts in many networks',
  prepare: async (context) => {
    const rest = restClient(context.hub.url, context.mallory.userToken);
    const tokenOfNew = async (number: number): Promise<string> => {
      const { body } = await rest.post('/api/networks', { name: `network ${number}` });
      return textOf(
        (await rest.post('/api/tokens', { name: 'listeners', network_id: textOf(body, 'network_id') })).body,
        'token',
      );
    };
    const tokens = await Promise.all(Array.from({ length: BROADCASTING_NETWORKS }, (_, number) => tokenOfNew(number)));
    for (const token of tokens) await reportAll(context, context.share(LISTENERS_EACH), token);
    let number = 0;
    return repeat(tokens.length, (lane) => sendBroadcast(context, `all hands, ${number++}`, tokens[lane]));
  },
};

async function reportAll(context: AttackContext, count: number, token = context.mallory.networkToken): Promise<void> {
  const reports = Array.from({ length: count }, (_, number) => ({
    resume_id: `r${number}`,
    alias: `agent-${number}`,
    status: 'idle',
  }));
  await callInBatches(context, token, 'report_status', reports);
}

function sendBroadcast(
  { hub, mallory }: AttackContext,
  content: string,
  token = mallory.networkToken,
): ReturnType<typeof ask> {
  return ask(hub, { method: 'POST', path: '/api/broadcast', token, body: JSON.stringify({ content }) });
}
