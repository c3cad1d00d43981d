// Hubs with short timeouts.
import { expect } from 'vitest';
import { listOf } from '../../support/json.ts';
import type { Fixture, Place } from './fixture.ts';

const RESTLESS = ['--offline-after-seconds', '2', '--heartbeat-seconds', '1', '--sweep-seconds', '1'];
const ABOUT_TWO_SECONDS_IN_DAYS = '0.000025';

/** Agents go offline after two seconds of silence. Heartbeats are sent every second. */
export async function restless({ beside }: Fixture): Promise<Place> {
  return (await beside(RESTLESS)).newPlace();
}

/** Its trial expires soon. */
export async function inTrial({ beside }: Fixture): Promise<Place> {
  return (await beside(['--trial-days', ABOUT_TWO_SECONDS_IN_DAYS])).newPlace();
}

export async function hasFallenSilent(place: Place, alias: string): Promise<void> {
  const isOffline = async (): Promise<boolean> => {
    const { body } = await place.ask('GET', '/api/status?status=offline');
    return listOf(body, 'sessions').some((session) => session.alias === alias);
  };
  await expect.poll(isOffline, { timeout: 10_000 }).toBe(true);
}
