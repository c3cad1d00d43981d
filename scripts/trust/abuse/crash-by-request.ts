// A fuzzer as a viewer, a member and an unauthenticated client, on a hub filled with the largest texts allowed. The hub
// survives, releases all resources, and serves the other tenant meanwhile.
import { setTimeout as after } from 'node:timers/promises';
import { type Account, register, restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { residentBytes } from '../access/addresses.ts';
import { type Hub, until } from '../hub.ts';
import { share } from '../lanes.ts';
import { complaint, expectSame, type Finding, type Row, type Trial } from '../row.ts';
import { type AttackContext, callInBatches, isInternalError, openAttackContext } from './attack.ts';
import { drawRequest, type Fixture } from './fuzz-requests.ts';
import { type Held, holdSockets, send } from './fuzz-sending.ts';
import { errorsIn, healthOf } from './health.ts';
import { type Impact, MAX_P99_MS, measureImpact, whileAlive } from './impact.ts';
import { surfaceOf } from './surface.ts';

/** Most of them wait for events that never occur. */
const LANES = 20;
const WARM_UP = 0.2;
/** A new process grows by tens of MiB until V8 has collected its old generation a few times. */
const LEAST_WARM_UP = 800;
const MAX_GROWTH = 1.2;
const MAX_ROUNDS = 3;
const SETTLED_MS = { least: 8_000, quick: 20_000, long: 60_000 } as const;
const SLOTS_FREE_MS = 10_000;
const MEBIBYTE = 1024 * 1024;
const MESSAGES = 100;
const TEXT = 10_000;
const SENDS_PER_BATCH = 5;

export const crashByRequest: Row = {
  name: 'crash-by-request',
  promise: 'no request crashes the hub or leaks resources',
  test: (requests) =>
    `${requests} random requests, resets and half-closed sockets by a viewer, a member and an unauthenticated client`,
  target: `alive, no 500, no leaked connection, memory within 20% of the start, p99 of the other tenant < ${MAX_P99_MS} ms`,
  amounts: { least: 300, quick: 3_000, long: 100_000 },
  isAlone: true,
  run: async (trial) => {
    const hub = await trial.start();
    return whileAlive(hub, () => fuzz(trial, hub));
  },
};

async function fuzz(trial: Trial, hub: Hub): Promise<Finding> {
  const context = await openAttackContext(trial, hub);
  const fixture = await openFixture(context);
  const held = holdSockets();
  trial.atEnd(held.dropAll);
  await fire(trial, fixture, held, Math.max(LEAST_WARM_UP, Math.ceil(trial.amount * WARM_UP)));
  held.dropAll();
  await connectionsFree(hub);
  const impacts: Impact[] = [];
  const levels = [residentBytes(hub.pid)];
  for (let round = 0; round < MAX_ROUNDS && !isLevel(levels); round++) {
    impacts.push(
      await measureImpact(hub, context.neighbor, trial.size, () => fire(trial, fixture, held, trial.amount)),
    );
    held.dropAll();
    impacts.push(await measureImpact(hub, context.neighbor, 'least', () => settle(trial, hub, levels.at(-1) ?? 0)));
    levels.push(residentBytes(hub.pid));
  }
  const worst = (measure: 'p99' | 'stall'): string => Math.max(...impacts.map((impact) => impact[measure])).toFixed(0);
  const memory = `memory ${levels.map((level) => Math.round(level / MEBIBYTE)).join(', then ')} MiB`;
  return {
    figure: `${memory}, p99 of the other tenant ${worst('p99')} ms, longest stall ${worst('stall')} ms`,
    complaints: [
      ...impacts.flatMap(({ complaints }) => complaints),
      ...errorsIn(hub),
      ...(isLevel(levels) ? [] : [`memory grows with every round: ${memory}`]),
    ],
  };
}

// After more work a process keeps some memory once. A leak grows with every round.
function isLevel(levels: readonly number[]): boolean {
  const [first = 0, last = 0, before = 0] = [levels[0], levels.at(-1), levels.at(-2)];
  return levels.length > 1 && last - before <= first * (MAX_GROWTH - 1);
}

/** The attacker's network has a member and a viewer, and inboxes as full as a page can be. */
async function openFixture(context: AttackContext): Promise<Fixture> {
  const { hub, mallory, share: part } = context;
  const [member, viewer] = [await joined(context, 'mia', 'member'), await joined(context, 'victor', 'viewer')];
  const known = {
    alias: ['control', 'emoji', 'agent-1'],
    new_alias: ['agent-1', 'agent-2'],
    task_id: ['task_none'],
    network_id: [mallory.networkId],
    from_session: ['mallory'],
    idempotency_key: ['k1', 'k2'],
  } as const;
  for (const [alias, one] of [
    ['control', '\u0001'],
    ['emoji', '\u{1F980}'],
  ] as const) {
    const sends = Array.from({ length: part(MESSAGES * 5) }, (_, number) => ({
      alias,
      task: one.repeat(TEXT),
      context: one.repeat(TEXT),
      from_session: `m${number}`,
    }));
    await callInBatches(context, mallory.networkToken, 'send_task', sends, SENDS_PER_BATCH);
  }
  const { body } = await restClient(hub.url, mallory.networkToken).post('/api/tasks', {
    alias: 'agent-1',
    task: 'known',
    from_session: 'mallory',
  });
  return {
    hub,
    surface: await surfaceOf(hub, mallory.networkToken),
    known: { ...known, task_id: [textOf(body, 'task_id'), 'task_none'] },
    tokens: [
      undefined,
      'ntok_wrong',
      mallory.networkToken,
      mallory.userToken,
      member.networkToken,
      member.userToken,
      viewer.networkToken,
      viewer.userToken,
    ],
  };
}

/** Another user, with a token for the attacker's network. */
async function joined({ hub, mallory }: AttackContext, username: string, role: string): Promise<Account> {
  const account = await register(hub.url, username);
  const invite = await restClient(hub.url, mallory.userToken).post(`/api/networks/${mallory.networkId}/invite`, {
    role,
    max_uses: 1,
  });
  const rest = restClient(hub.url, account.userToken);
  await rest.post('/api/networks/join', { invite_code: textOf(invite.body, 'invite_code') });
  const { body } = await rest.post('/api/tokens', { name: role, network_id: mallory.networkId });
  return { ...account, networkToken: textOf(body, 'token') };
}

/** Returns complaints about the hub's output. */
async function fire({ draws }: Trial, fixture: Fixture, held: Held, count: number): Promise<string[]> {
  const wrong: string[] = [];
  await share(
    Array.from({ length: count }, (_, number) => number),
    LANES,
    async () => {
      const request = drawRequest(fixture, draws);
      const reply = await send(fixture.hub, request, draws, held);
      if (reply !== undefined && isInternalError(reply))
        wrong.push(`${request.method ?? ''} ${request.path.slice(0, 60)} ${String(request.body ?? '').slice(0, 200)}`);
    },
  );
  return complaint('got an internal error', wrong);
}

async function settle({ size }: Trial, hub: Hub, before: number): Promise<string[]> {
  const { streams, waits } = await connectionsFree(hub);
  await until(() => residentBytes(hub.pid) <= before * MAX_GROWTH, SETTLED_MS[size], 200).catch(() => {});
  return [...expectSame('streams left open', streams, 0), ...expectSame('waits left open', waits, 0)];
}

async function connectionsFree(hub: Hub): Promise<{ streams: number; waits: number }> {
  const isFree = async (): Promise<boolean> => {
    const { streams, waits } = await healthOf(hub);
    return streams + waits === 0;
  };
  await until(isFree, SLOTS_FREE_MS, 100).catch(() => {});
  await after(200);
  return healthOf(hub);
}
