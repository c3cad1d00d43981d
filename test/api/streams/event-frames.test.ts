// An event is serialized once for each of its forms, and all readers get the same bytes.
import { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { StreamEvent } from '../../../server/domain/events.ts';
import { keepFrames } from '../../../server/http/streams/event-frames.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { serveHub } from '../../support/served-hub.ts';

const EVENT: StreamEvent = {
  seq: 1,
  network_id: 'net_1',
  alias: 'bob',
  name: 'new_message',
  created_at: 0,
  data: '{"type":"new_message"}',
};

test('each form has its own bytes, shared by all its readers', () => {
  const { ofAgent, ofNetwork } = keepFrames();
  const idOf = vi.fn(() => 'x-1');
  expect(String(ofAgent(EVENT, idOf))).toBe('id: x-1\nevent: new_message\ndata: {"type":"new_message"}\n\n');
  expect(String(ofNetwork(EVENT, idOf))).toBe(
    'id: x-1\nevent: new_message\ndata: {"alias":"bob","type":"new_message"}\n\n',
  );
  expect(ofAgent(EVENT, idOf)).toBe(ofAgent(EVENT, idOf));
  expect(ofNetwork(EVENT, idOf)).toBe(ofNetwork(EVENT, idOf));
  expect(idOf).toHaveBeenCalledTimes(2);
});

test('all readers of an alias get the same bytes', async () => {
  const hub = await serveHub();
  const written: unknown[] = [];
  const { write } = ServerResponse.prototype;
  const spy = vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (
    this: ServerResponse,
    ...given: unknown[]
  ) {
    if (String(given[0]).includes('event: new_message')) written.push(given[0]);
    return Reflect.apply(write, this, given);
  });
  onTestFinished(() => spy.mockRestore());
  const headers = { Authorization: `Bearer ${hub.networkToken}` };
  const open = () => fetch(`${hub.url}/events/bob`, { headers });
  const streams = await Promise.all(Array.from({ length: 5 }, open));
  // A response that nothing refers to is collected, which ends its connection.
  onTestFinished(async () => void (await Promise.all(streams.map(({ body }) => body?.cancel()))));
  let sent = 0;
  const hello = async (): Promise<number> => {
    const message = `hello ${++sent}`;
    const frames = () => written.filter((frame) => String(frame).includes(`"${message}"`));
    await hub.ask(sendMessage, { alias: 'bob', message });
    await expect.poll(() => frames().length).toBe(5);
    return new Set(frames()).size;
  };
  await expect.poll(hello, { timeout: 10_000 }).toBe(1); // until all of them follow live
  expect(written[0]).toBeInstanceOf(Buffer);
});
