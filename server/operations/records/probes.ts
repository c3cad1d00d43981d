// health_live and health_ready: liveness for a supervisor that may restart the hub, readiness for a proxy that sends it
// requests.
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { TryLater, unavailable } from '../../domain/errors.ts';
import { notReady, TROUBLES } from '../../domain/health/troubles.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const healthLive = operation({
  name: 'health_live',
  summary: 'Liveness: check that the process responds; restart it if not.',
  access: 'public',
  input: v.object({}),
  run: async () => ({ status: 'ok' }),
});

export const healthReady = operation({
  name: 'health_ready',
  summary:
    'Readiness: check that the hub can serve requests: its database responds, its disk is not full, enough file descriptors are free, and it is not stopping.',
  access: 'public',
  input: v.object({}),
  run: async (hub, _visitor, _input, { store }) => {
    const [trouble] = hub.troubles.listPresent().filter(({ kind }) => TROUBLES[kind].isUnready);
    if (trouble !== undefined) throw notReady(trouble.kind);
    await assertReadable(store);
    return { status: 'ok' };
  },
});

/**
 * A restart of the database server takes a second, during which writes wait; a balancer should not take out all hubs
 * for that. One that is cut off from it for longer should not keep the balancer waiting.
 */
const RESPONDS_MS = 2 * SECOND_MS;
const AGAIN_MS = 100;

async function assertReadable(store: ScopedStore): Promise<void> {
  let problem = unavailable(`the database has not responded for ${RESPONDS_MS / SECOND_MS} seconds`);
  let isOver = false;
  const read = async (): Promise<void> => {
    while (!isOver)
      try {
        return void (await store.read((reader) => users.isAny(reader)));
      } catch (error) {
        if (!(error instanceof TryLater)) throw error;
        problem = error;
        await sleep(AGAIN_MS);
      }
  };
  const giveUp = async (): Promise<never> => {
    await sleep(RESPONDS_MS, undefined, { ref: false });
    isOver = true;
    throw problem;
  };
  await Promise.race([read(), giveUp()]);
}
