// subscriptions/listen: a stream of notifications that a resource changed. They do not include the change: the client
// reads the resource.
import { watchAccess } from '../operations/access/watch-access.ts';
import type { Call } from './call.ts';
import type { Resource } from './catalogue.ts';
import { INVALID_PARAMS, isObject, notification, RpcError } from './envelope.ts';
import type { Late } from './late-answer.ts';
import { findResource } from './resources.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const MAX_RESOURCES = 100;

/** Every message includes the id of the subscription request. */
export function subscription({ id }: Pick<Call, 'id'>) {
  return { [SUBSCRIPTION_ID]: id };
}

export function listen(call: Call): Late<string> {
  const uris = requestedResources(call);
  return { ...subscribe({ hub: call.hub, caller: call.caller, id: call.id }, uris), calls: Math.max(1, uris.size) };
}

type Subscriber = Pick<Call, 'hub' | 'caller' | 'id'>;

// A subscription can last hours, so it keeps only the id and the URIs of the request.
function subscribe(call: Subscriber, uris: ReadonlyMap<string, Resource>): Late<string> {
  return {
    opens: 'stream',
    run: async (gone, send) => {
      const end = Promise.withResolvers<void>();
      const notify = (method: string, params: object): void =>
        send(notification(method, { _meta: subscription(call), ...params }));
      gone.addEventListener('abort', () => end.resolve(), { once: true });
      const { state, stop } = await watchAccess(call.hub, call.caller, end.resolve);
      if (state !== 'kept' || gone.aborted) end.resolve();
      const stops = [
        stop,
        ...[...uris].map(([uri, resource]) =>
          onChange(call, resource, () => notify('notifications/resources/updated', { uri })),
        ),
      ];
      notify('notifications/subscriptions/acknowledged', {
        notifications: uris.size === 0 ? {} : { resourceSubscriptions: [...uris.keys()] },
      });
      await end.promise;
      stops.forEach((each) => each());
      return '{}';
    },
  };
}

// The requested resources that exist. The lists of tools, prompts and resources never change, and a user token cannot
// read resources.
function requestedResources({ caller, catalogue, params: { notifications } }: Call): Map<string, Resource> {
  if (!isObject(notifications))
    throw new RpcError(INVALID_PARAMS, 'notifications must be an object that lists what to listen for');
  const { resourceSubscriptions: uris = [] } = notifications;
  if (!isTexts(uris)) throw new RpcError(INVALID_PARAMS, 'notifications.resourceSubscriptions must be a list of URIs');
  const known = caller.token_kind === 'user' ? [] : uris.map((uri) => [uri, findResource(catalogue, uri)] as const);
  return new Map(known.filter(isFound).slice(0, MAX_RESOURCES));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isFound(entry: readonly [string, Resource | undefined]): entry is readonly [string, Resource] {
  return entry[1] !== undefined;
}

// Sends one notification per batch of events.
function onChange({ hub, caller }: Subscriber, { topic, changedBy }: Resource, notify: () => void): () => void {
  const networks = caller.memberships.map(({ network_id }) => network_id);
  return hub.broker.follow(
    { ...topic, networks },
    {
      take: (events) => {
        if (changedBy === undefined || events.some(({ name }) => changedBy.includes(name))) notify();
      },
      lost: notify,
    },
  );
}
