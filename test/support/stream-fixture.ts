// A hub over HTTP and readers of its event stream, each closed when the test ends.
import { onTestFinished } from 'vitest';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { type EventReader, openEvents } from './http/event-reader.ts';
import type { ServedHub } from './served-hub.ts';
import { eventIdOf } from './store/event-ids.ts';

export async function read(
  hub: ServedHub,
  path: string,
  options: { lastEventId?: string; token?: string } = {},
): Promise<EventReader> {
  const reader = await openEvents(hub.url + path, options.token ?? hub.networkToken, options);
  onTestFinished(() => reader.close());
  return reader;
}

export const sendText = (hub: ServedHub, message: string, alias = 'bob') =>
  hub.ask(sendMessage, { alias, message, from_session: 'alice' });

export const messagesOf = (reader: EventReader) => reader.arrived().filter(({ name }) => name === 'new_message');

/** The messages received, once `last` has arrived. */
export async function messagesUntil(reader: EventReader, last: string): Promise<unknown[]> {
  await reader.next('new_message', { message: last });
  return messagesOf(reader).map(({ data }) => data['message']);
}

/** The id of the position before the first event. */
export const beginning = (hub: ServedHub): Promise<string> => eventIdOf(hub, 0);
