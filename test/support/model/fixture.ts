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
import { expire } from '../../../server/sweeps/sweeps.ts';
import { writeHeartbeats } from '../../../server/sweeps/write-heartbeats.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import { countedIds } from '../store/counted-ids.ts';
import { createDatabase } from '../store/new-database.ts';
import { DEFAULT_SETTINGS } from '../test-hub.ts';

/** A member and a viewer of each of two networks, in this order. */
export const ROLES = ['member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export type Fixture = {
  clock: ManualClock;
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
  const database = join(directory, 'agenthub.db');
  await createDatabase(database);
  const clock = manualClock();
  const ids = countedIds();
  const open = () =>
    openInProcessHub({
      settings: DEFAULT_SETTINGS,
      database,
      time: clock,
      ids,
    });
  let hub = await open();
  const accounts = [await foundNetwork(hub, 'ada'), await foundNetwork(hub, 'zoe')];
  return {
    clock,
    networks: accounts.map(({ network }) => network),
    ask: async (network, role, operation, input) =>
      perform(operation, hub, await identified(hub, accounts[network]?.tokens[role] ?? ''), input),
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
  const ownerAccount = await perform(register, hub, { ip: '127.0.0.1' }, { username: owner, password: 'open sesame' });
  const viewerAccount = await perform(
    register,
    hub,
    { ip: '127.0.0.1' },
    { username: `${owner}s_viewer`, password: 'open sesame' },
  );
  const { invite_code } = await perform(createInvite, hub, await identified(hub, ownerAccount.token), {
    network_id: ownerAccount.network_id,
    role: 'viewer',
  });
  const { network_token: viewer } = await perform(joinNetwork, hub, await identified(hub, viewerAccount.token), {
    invite_code,
  });
  return { network: ownerAccount.network_id, tokens: { member: ownerAccount.network_token, viewer } };
}

async function identified(hub: Hub, token: string): Promise<Caller> {
  const caller = await identify(hub, token, '127.0.0.1');
  if (caller === undefined) throw new Error('the token is invalid');
  return caller;
}
