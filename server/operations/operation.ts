// Defines operations, and `perform`, the only way to run one: validate, authorize, run.
import * as v from 'valibot';
import type { Caller, NetworkReader, NetworkWriter, Visitor } from '../domain/accounts/caller.ts';
import { type Access, assertMayWrite, type CallerFor } from '../domain/accounts/permissions.ts';
import { invalidInput } from '../domain/errors.ts';
import type { Recipient } from '../domain/recipient.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import { countFailure, countOperation } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';
import { type Scope, type ScopedStore, scoped } from '../store/engine/database.ts';
import { authorize, reauthorize, requestedNetwork } from './access/authorize.ts';
import { assertChangeRate, assertRate } from './quotas.ts';

export type InputSchema = v.GenericSchema<unknown, object> & { entries: Record<string, v.GenericSchema> };

/** What an operation runs with, besides the hub, its caller and its input. */
export type Context = {
  /**
   * Reads and writes on behalf of the caller. Each write of an operation that requires write access first checks, in
   * the same transaction, that the caller still has it.
   */
  store: ScopedStore;
} & Client;

/** The client of a call. Inside the hub, calls have none. */
export type Client = {
  /** Aborted when it disconnects, and when the hub stops. Given to operations that wait. */
  gone?: AbortSignal | undefined;
  recipient?: Recipient | undefined;
  /** Called only where it is needed, since it looks at all headers. */
  arrival?: (() => Arrival) | undefined;
};

/** How a request reached the hub. */
export type Arrival = {
  /** Its Host header, with the port. */
  host: string;
  isForwarded: boolean;
};

/** One action of the hub. The same literal defines its REST route, its MCP tool and its reference documentation. */
export type Operation<A extends Access, Schema extends InputSchema, Result extends object> = {
  /** The wire name, such as `send_task`. */
  name: string;
  /** One sentence, shown in the tool list and the reference. */
  summary: string;
  /** Who may call it; see domain/accounts/permissions.ts. */
  access: A;
  /** May wait for its turn, and is cancelled when the client disconnects. */
  isQueued?: true;
  /** It revokes access and grants none, so it finds room on a full disk and counts toward no rate of changes. */
  revokesAccess?: true;
  input: Schema;
  /** Puts what some clients send in another form into that of `input`. */
  adapt?: (raw: Readonly<Record<string, unknown>>) => object;
  run(hub: Hub, caller: CallerFor[A], input: v.InferOutput<Schema>, context: Context): Promise<Result>;
};

/** An operation in a table, where the types of caller and input do not matter. */
export type AnyOperation<Result extends object = object> = {
  name: string;
  summary: string;
  access: Access;
  isQueued?: true;
  revokesAccess?: true;
  input: InputSchema;
  adapt?: (raw: Readonly<Record<string, unknown>>) => object;
  run(hub: Hub, caller: never, input: never, context: Context): Promise<Result>;
};

export function operation<const A extends Access, Schema extends InputSchema, Result extends object>(
  literal: Operation<A, Schema, Result>,
): Operation<A, Schema, Result> {
  return literal;
}

export async function perform<Result extends object>(
  performed: AnyOperation<Result>,
  hub: Hub,
  asking: Caller | Visitor,
  raw: unknown,
  client: Client = {},
): Promise<Result> {
  const start = performance.now();
  let outcome: 'ok' | 'refused' = 'refused';
  try {
    const result = await runChecked(performed, hub, asking, raw, client);
    outcome = 'ok';
    return result;
  } catch (error) {
    countFailure(hub.metrics, performed.name, error);
    throw error;
  } finally {
    const seconds = (performance.now() - start) / SECOND_MS;
    countOperation(hub.metrics, performed.name, outcome, seconds);
    if ('token_id' in asking) hub.usage.count(asking.token_id, networkOf(asking, raw), outcome === 'refused', seconds);
  }
}

/** The network that a call belongs to: that of the token, or the one a user names. */
function networkOf({ token_kind, memberships }: Caller, raw: unknown): string | undefined {
  if (token_kind === 'network') return memberships[0]?.network_id;
  const requested = typeof raw === 'object' && raw !== null ? requestedNetwork(raw) : undefined;
  return memberships.find(({ network_id }) => network_id === requested)?.network_id;
}

async function runChecked<Result extends object>(
  performed: AnyOperation<Result>,
  hub: Hub,
  asking: Caller | Visitor,
  raw: unknown,
  { gone, recipient, arrival }: Client,
): Promise<Result> {
  assertRate(hub, asking, performed.name);
  rejectViewerToken(performed.access, asking);
  const input = validate(performed.input, adapted(performed, raw));
  const caller = await authorize(performed.access, hub, asking, input);
  const store = storeFor(performed, hub, caller, { input, recipient });
  // `operation` checked that the types of caller and input match `access` and `input`; the table erases them.
  return performed.run(hub, caller as never, input as never, { store, gone, recipient, arrival });
}

function adapted({ adapt }: Pick<AnyOperation, 'adapt'>, raw: unknown): unknown {
  return adapt === undefined || typeof raw !== 'object' || raw === null ? raw : adapt({ ...raw });
}

function storeFor(
  { access, revokesAccess }: Pick<AnyOperation, 'access' | 'revokesAccess'>,
  hub: Hub,
  caller: Caller | Visitor,
  { input, recipient }: { input: object } & Pick<Client, 'recipient'>,
): ScopedStore {
  if (!('token_id' in caller)) return scoped(hub.store);
  const store = scoped(hub.store, { ...scopeOf(caller, input), recipient, revokesAccess });
  if (access !== 'write' && access !== 'account') return store;
  const reauthorized = reauthorizing(store, caller);
  return access === 'write' || revokesAccess ? reauthorized : countingChanges(reauthorized, hub, caller);
}

function reauthorizing(store: ScopedStore, caller: Caller): ScopedStore {
  return {
    ...store,
    write: (work, concerns) =>
      store.write(async (tx) => {
        await reauthorize(tx, caller);
        return work(tx);
      }, concerns),
  };
}

function countingChanges(store: ScopedStore, hub: Hub, caller: Caller): ScopedStore {
  return {
    ...store,
    write: async (work, concerns) => {
      assertChangeRate(hub, caller);
      return store.write(work, concerns);
    },
  };
}

/**
 * The tenant is the network, whichever user calls. The user counts too, so that several networks do not give a user
 * more than one share. Calls that span networks, or concern an account, belong to the user alone.
 */
function scopeOf(caller: Caller & Partial<NetworkReader & NetworkWriter>, input: object): Scope {
  const own = caller.networks ?? (caller.network_id === undefined ? undefined : [caller.network_id]);
  const [only = caller.user_id, ...others] = own ?? [];
  return {
    tenant: others.length === 0 ? only : caller.user_id,
    user: caller.user_id,
    networks: own ?? visible(caller, requestedNetwork(input)),
  };
}

function visible({ memberships, system_role }: Caller, requested: string | undefined): string[] {
  const isVisible = system_role === 'admin' || memberships.some(({ network_id }) => network_id === requested);
  return requested !== undefined && isVisible ? [requested] : [];
}

// A viewer's token gets permission_denied even when the input is invalid.
function rejectViewerToken(access: Access, asking: Caller | Visitor): void {
  if (access !== 'write' || !('token_kind' in asking) || asking.token_kind !== 'network') return;
  for (const { role } of asking.memberships) assertMayWrite(role);
}

export function validate(schema: InputSchema, raw: unknown): object {
  const result = v.safeParse(schema, raw);
  if (result.success) return result.output;
  throw invalidInput(explain(result.issues[0]));
}

/** `task must have at most 10000 characters`: the field, and the rule it breaks. */
export function explain(issue: v.BaseIssue<unknown>): string {
  const member = issue.path
    ?.map(({ key }) => (typeof key === 'number' ? `[${key}]` : String(key)))
    .join('.')
    .replaceAll('.[', '[');
  if (member === undefined) return 'the input must be an object';
  if (issue.received === 'undefined') return `${member} is required`;
  return `${member} ${issue.message}`;
}
