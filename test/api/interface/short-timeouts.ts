// Hubs with short timeouts.
import { expect } from 'vitest';
import { listOf } from '../../support/json.ts';
import type { Fixture, TestNetwork } from './fixture.ts';

const SHORT_TIMEOUTS = ['--offline-after-seconds', '2', '--heartbeat-seconds', '1', '--sweep-seconds', '1'];
const ABOUT_TWO_SECONDS_IN_DAYS = '0.000025';

/** Agents go offline after two seconds of silence. Heartbeats are sent every second. */
export async function withShortTimeouts({ hubWith }: Fixture): Promise<TestNetwork> {
  return (await hubWith(SHORT_TIMEOUTS)).newNetwork();
}

/** Its trial expires soon. */
export async function withShortTrial({ hubWith }: Fixture): Promise<TestNetwork> {
  return (await hubWith(['--trial-days', ABOUT_TWO_SECONDS_IN_DAYS])).newNetwork();
}

export async function untilOffline(network: TestNetwork, alias: string): Promise<void> {
  const isOffline = async (): Promise<boolean> => {
    const { body } = await network.ask('GET', '/api/status?status=offline');
    return listOf(body, 'sessions').some((session) => session.alias === alias);
  };
  await expect.poll(isOffline).toBe(true);
}
