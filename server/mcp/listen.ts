// subscriptions/listen: a stream that says which resource changed, for as long as somebody listens. It says that, not
// how; whoever wants to know reads the resource.
import { watchRights } from '../operations/access/reauthorize.ts';
import type { Call, Slow } from './call.ts';
import { INVALID_PARAMS, isObject, notification, RpcError } from './envelope.ts';
import { findResource, type Resource } from './resources.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const MAX_RESOURCES = 100;

/** Every frame names the request that asked for it. */
export function subscription({ id }: Pick<Call, 'id'>) {
  return { [SUBSCRIPTION_ID]: id };
}

export function listen(call: Call): Slow<string> {
  const uris = honoured(call);
  return { ...subscribe({ hub: call.hub, caller: call.caller, id: call.id }, uris), calls: Math.max(1, uris.size) };
}

type Subscriber = Pick<Call, 'hub' | 'caller' | 'id'>;

// It lives for hours, and keeps nothing of the request but its id and the URIs.
function subscribe(call: Subscriber, uris: ReadonlyMap<string, Resource>): Slow<string> {
  return {
    isStream: true,
    run: async (gone, send) => {
      const end = Promise.withResolvers<void>();
      const told = (method: string, params: object): void =>
        send(notification(method, { _meta: subscription(call), ...params }));
      gone.addEventListener('abort', () => end.resolve(), { once: true });
      const { standing, stop } = await watchRights(call.hub, call.caller, end.resolve);
      if (standing !== 'kept' || gone.aborted) end.resolve();
      const stops = [
        stop,
        ...[...uris].map(([uri, resource]) =>
          onChange(call, resource, () => told('notifications/resources/updated', { uri })),
        ),
      ];
      told('notifications/subscriptions/acknowledged', {
        notifications: uris.size === 0 ? {} : { resourceSubscriptions: [...uris.keys()] },
      });
      await end.promise;
      stops.forEach((each) => each());
      return '{}';
    },
  };
}

// Of what was asked for, that which there is: the lists of tools, prompts and resources never change, and a user token
// reads nothing here.
function honoured({ caller, params: { notifications } }: Call): Map<string, Resource> {
  if (!isObject(notifications))
    throw new RpcError(INVALID_PARAMS, 'notifications must be an object that says what to listen for');
  const { resourceSubscriptions: uris = [] } = notifications;
  if (!isTexts(uris)) throw new RpcError(INVALID_PARAMS, 'notifications.resourceSubscriptions must be a list of URIs');
  const known = caller.token_kind === 'user' ? [] : uris.map((uri) => [uri, findResource(uri)] as const);
  return new Map(known.filter(isFound).slice(0, MAX_RESOURCES));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isFound(entry: readonly [string, Resource | undefined]): entry is readonly [string, Resource] {
  return entry[1] !== undefined;
}

// Sends one notification per batch of events.
function onChange({ hub, caller }: Subscriber, { topic, changedBy }: Resource, tell: () => void): () => void {
  const networks = caller.memberships.map(({ network_id }) => network_id);
  return hub.broker.follow(
    { ...topic, networks },
    {
      take: (events) => {
        if (changedBy === undefined || events.some(({ name }) => changedBy.includes(name))) tell();
      },
      lost: tell,
    },
  );
}
