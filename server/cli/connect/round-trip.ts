// Tests that a hub works: lists its tools, and reports the status of an alias if it is to be connected.
import type { SessionSummary } from '../../domain/session.ts';
import { type HubClient, HubRefused } from '../client/hub-client.ts';

/** `inbox` is undefined if nothing was reported. */
export type RoundTrip = { tools: number; inbox?: number };

/**
 * Reports a known agent with its current status. Reports an unknown one as offline, so that the alias is free for the
 * first report of the agent itself.
 */
export async function testRoundTrip(
  hub: HubClient,
  alias: string,
  { reports }: { reports: boolean },
): Promise<RoundTrip> {
  const { tools } = await hub.rpc<{ tools: object[] }>('tools/list', {});
  if (!reports) return { tools: tools.length };
  const known = await findSession(hub, alias);
  const { inbox_count } = await hub.tool<{ inbox_count: number }>('report_status', {
    resume_id: known?.resume_id ?? `connect ${alias}`.slice(0, 200),
    alias,
    status: known?.status ?? 'offline',
  });
  return { tools: tools.length, inbox: inbox_count };
}

async function findSession(hub: HubClient, alias: string): Promise<SessionSummary | undefined> {
  try {
    return (await hub.tool<{ session: SessionSummary }>('get_session_status', { alias })).session;
  } catch (error) {
    if (error instanceof HubRefused && error.code === 'session not found') return undefined;
    throw error;
  }
}
