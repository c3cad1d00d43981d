// The hub that the model is compared with: in process, on a file that survives it, with a manual clock.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInProcessHub } from '../../../scripts/support/in-process-hub.ts';
import type { Caller } from '../../../server/domain/accounts/caller.ts';
import type { Hub } from '../../../server/hub.ts';
import { register } from '../../../server/operations/accounts/register.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { joinNetwork } from '../../../server/operations/networks/join-network.ts';
import { type AnyOperation, perform } from '../../../server/operations/operation.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { expire, writeHeartbeats } from '../../../server/sweeps/sweeps.ts';
import { type HandClock, handClock } from '../manual-clock.ts';
import { countedIds } from '../store/counted-ids.ts';
import { DEFAULT_SETTINGS } from '../test-hub.ts';

/** A member and a viewer of each of two networks, in this order. */
export const ROLES = ['member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export type Fixture = {
  clock: HandClock;
  networks: string[];
  ask<Result extends object>(
    network: number,
    role: Role,
    operation: AnyOperation<Result>,
    input: object,
  ): Promise<Result>;
  /** Stops the hub gracefully and opens another on the same file, this many milliseconds later. */
  restart(downtime: number): Promise<void>;
  close(): Promise<void>;
};

export async function openFixture(): Promise<Fixture> {
  const directory = mkdtempSync(join(tmpdir(), 'agenthub-model-'));
  const clock = handClock();
  const ids = countedIds();
  const open = () =>
    openInProcessHub({
      settings: DEFAULT_SETTINGS,
      databaseFile: join(directory, 'agenthub.db'),
      time: clock,
      ids,
    });
  let hub = await open();
  const people = [await foundNetwork(hub, 'ada'), await foundNetwork(hub, 'zoe')];
  return {
    clock,
    networks: people.map(({ network }) => network),
    ask: async (network, role, operation, input) =>
      perform(operation, hub, await identified(hub, people[network]?.tokens[role] ?? ''), input),
    restart: async (downtime) => {
      for (const sweep of [expire, writeHeartbeats]) await sweep(hub);
      await hub.store.close();
      clock.advance(downtime);
      hub = await open();
    },
    close: async () => {
      await hub.store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function foundNetwork(hub: Hub, owner: string): Promise<{ network: string; tokens: Record<Role, string> }> {
  const host = await perform(register, hub, { ip: '127.0.0.1' }, { username: owner, password: 'open sesame' });
  const guest = await perform(
    register,
    hub,
    { ip: '127.0.0.1' },
    { username: `${owner}s_guest`, password: 'open sesame' },
  );
  const { invite_code } = await perform(createInvite, hub, await identified(hub, host.token), {
    network_id: host.network_id,
    role: 'viewer',
  });
  const { network_token: viewer } = await perform(joinNetwork, hub, await identified(hub, guest.token), {
    invite_code,
  });
  return { network: host.network_id, tokens: { member: host.network_token, viewer } };
}

async function identified(hub: Hub, token: string): Promise<Caller> {
  const caller = await identify(hub, token, '127.0.0.1');
  if (caller === undefined) throw new Error('the token is worth nothing');
  return caller;
}
