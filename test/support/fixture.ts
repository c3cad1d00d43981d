// A hub, one network, and a user who can write there: the fixture of most operation tests.
import type { Caller } from '../../server/domain/accounts/caller.ts';
import { HubError } from '../../server/domain/errors.ts';
import type { StreamEvent } from '../../server/domain/events.ts';
import type { NetworkRole } from '../../server/domain/network.ts';
import type { Settings } from '../../server/domain/settings.ts';
import type { Hub } from '../../server/hub.ts';
import { reportStatus } from '../../server/operations/agents/report-status.ts';
import { type AnyOperation, perform } from '../../server/operations/operation.ts';
import { sendTask } from '../../server/operations/tasks/send-task.ts';
import type { Sql } from '../../server/store/engine/sql.ts';
import type { Reader } from '../../server/store/engine/transaction.ts';
import { foundNetwork, openTestHub, restartTestHub, type TestHub } from './test-hub.ts';

export type Fixture = {
  hub: TestHub;
  caller: Caller & { network_id: string };
  /** Runs an operation as the caller. */
  ask<Result extends object>(operation: AnyOperation<Result>, input: object): Promise<Result>;
};

export async function openFixture(settings: Partial<Settings> = {}): Promise<Fixture> {
  const hub = await openTestHub(settings);
  const caller = await foundNetwork(hub);
  return { hub, caller, ask: (operation, input) => perform(operation, hub, caller, input) };
}

/** The same fixture for another user, in the same network unless they have their own. */
export function as(fixture: Fixture, change: Partial<Caller & { network_id: string }>): Fixture {
  const caller = { ...fixture.caller, ...change };
  return { ...fixture, caller, ask: (operation, input) => perform(operation, fixture.hub, caller, input) };
}

export function withRole(fixture: Fixture, role: NetworkRole): Fixture {
  return as(fixture, { memberships: fixture.caller.memberships.map((membership) => ({ ...membership, role })) });
}

/** The same fixture after a restart of its hub. */
export async function restarted(fixture: Fixture): Promise<Fixture> {
  const hub = await restartTestHub(fixture.hub);
  return { ...fixture, hub, ask: (operation, input) => perform(operation, hub, fixture.caller, input) };
}

/** The exact error code, or `ok`. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (error instanceof HubError) return error.code;
    throw error;
  }
}

/** `alias` reports, with a resume_id derived from the alias. */
export function report(fixture: Fixture, alias: string, rest: object = {}) {
  return fixture.ask(reportStatus, { resume_id: `${alias}-1`, alias, status: 'idle', ...rest });
}

/** Sends a task from alice to bob and returns its id. */
export async function send(fixture: Fixture, rest: object = {}): Promise<string> {
  const { task_id } = await fixture.ask(sendTask, { alias: 'bob', task: 'build it', from_session: 'alice', ...rest });
  return task_id;
}

/** All events published from now on. */
export function listenTo(fixture: Fixture): StreamEvent[] {
  const received: StreamEvent[] = [];
  fixture.hub.broker.subscribe({ networks: [fixture.caller.network_id] }, (event) => received.push(event));
  return received;
}

export type Row = Record<string, string | number | null>;

const TABLES = {
  libsql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  postgres: `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
      AND tablename NOT IN ('hubs', 'commits') ORDER BY tablename`,
};

/** Every row of every table, by table. */
export function dump({ hub }: { hub: Pick<Hub, 'store'> }): Promise<Record<string, Row[]>> {
  return hub.store.read(async (reader) => {
    const rows: Record<string, Row[]> = {};
    for (const name of await tablesOf(reader))
      rows[name] = (await reader.all<Row>(`SELECT * FROM ${name}`)).map((row) => ({ ...row }));
    return rows;
  });
}

export async function tablesOf(reader: Reader): Promise<string[]> {
  return (await reader.all<{ name: string }>(TABLES)).map(({ name }) => name);
}

export function rowsOf(fixture: { hub: Pick<Hub, 'store'> }, sql: Sql, ...args: (string | number)[]): Promise<Row[]> {
  return fixture.hub.store.read(async (reader) => (await reader.all<Row>(sql, args)).map((row) => ({ ...row })));
}
