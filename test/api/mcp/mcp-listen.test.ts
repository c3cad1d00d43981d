// subscriptions/listen: a stream that reports changed resources while the client listens and is authorized.
import { expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { as, report, send } from '../../support/fixture.ts';
import { type Frames, framesOf, modernPost, send as post } from '../../support/http/mcp-posts.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';
import { foundNetwork } from '../../support/test-hub.ts';

const STATUS = 'hub://status';
const BOBS = 'hub://inbox/bob';

async function listen(
  hub: ServedHub,
  notifications: unknown,
  { id = 'listen-1', token = hub.networkToken } = {},
): Promise<Frames> {
  const response = await post(hub.url, token, modernPost('subscriptions/listen', { notifications }, id));
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/event-stream; charset=utf-8',
  });
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  return framesOf(response);
}

function acknowledged(uris: readonly string[] | undefined, id: unknown = 'listen-1') {
  const notifications = uris === undefined ? {} : { resourceSubscriptions: uris };
  return {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications },
  };
}

function updated(uri: string, id: unknown = 'listen-1') {
  return {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, uri },
  };
}

test('the first message lists the accepted subscriptions and omits unknown resources', async () => {
  const hub = await serveHub();
  const everything = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [STATUS, 'hub://nothing', BOBS, STATUS],
  };
  expect(await (await listen(hub, everything)).message()).toEqual(acknowledged([STATUS, BOBS]));
  expect(await (await listen(hub, {}, { id: 'x' })).message()).toEqual(acknowledged(undefined, 'x'));
});

test('an inbox changes with each item that arrives in it, and with nothing else', async () => {
  const hub = await serveHub();
  await report(hub, 'bob');
  const frames = await listen(hub, { resourceSubscriptions: [BOBS] });
  expect(await frames.message()).toEqual(acknowledged([BOBS]));
  // The next message is the expected change, so there was none before it.
  await send(hub, { alias: 'carl' });
  await send(as(hub, await foundNetwork(hub.hub)));
  const task = await send(hub);
  expect(await frames.message()).toEqual(updated(BOBS));
  await hub.ask(ackInbox, { alias: 'bob', message_id: task });
  await hub.ask(sendMessage, { alias: 'bob', message: 'tea?' });
  expect(await frames.message()).toEqual(updated(BOBS));
  await hub.ask(broadcast, { content: 'stand up' });
  expect(await frames.message()).toEqual(updated(BOBS));
});

test('the status changes with every report, and several in one commit are one change', async () => {
  const hub = await serveHub();
  const frames = await listen(hub, { resourceSubscriptions: [STATUS] }, { id: 'status' });
  expect(await frames.message()).toEqual(acknowledged([STATUS], 'status'));
  await Promise.all(['a', 'b', 'c', 'd'].map((alias) => report(hub, alias)));
  expect(await frames.message()).toEqual(updated(STATUS, 'status'));
  await send(hub, { alias: 'a' }); // changes tasks and an inbox, but no agent
  const next = frames.message();
  hub.app.mcp.endAll();
  expect(await next).toMatchObject({ id: 'status', result: {} });
});

test('two listeners receive only their own changes', async () => {
  const hub = await serveHub();
  const [one, other] = [
    await listen(hub, { resourceSubscriptions: [BOBS] }, { id: '1' }),
    await listen(hub, { resourceSubscriptions: ['hub://inbox/%E7%8C%AB'] }, { id: '2' }),
  ];
  await Promise.all([one.message(), other.message()]);
  await send(hub, { alias: '猫' });
  expect(await other.message()).toEqual(updated('hub://inbox/%E7%8C%AB', '2'));
  await send(hub);
  expect(await one.message()).toEqual(updated(BOBS, '1'));
});

test('a user token cannot subscribe', async () => {
  const hub = await serveHub();
  const frames = await listen(hub, { resourceSubscriptions: [STATUS, BOBS] }, { token: hub.userToken });
  expect(await frames.message()).toEqual(acknowledged(undefined));
});

test('a hub that stops sends a final message and ends the stream', async () => {
  const hub = await serveHub();
  const frames = await listen(hub, { resourceSubscriptions: [STATUS] });
  await frames.message();
  hub.app.mcp.endAll();
  expect(await frames.message()).toEqual({
    jsonrpc: '2.0',
    id: 'listen-1',
    result: {
      resultType: 'complete',
      _meta: {
        'io.modelcontextprotocol/serverInfo': { name: 'agenthub', version: '0.0.0-test' },
        'io.modelcontextprotocol/subscriptionId': 'listen-1',
      },
    },
  });
  expect(await frames.message()).toBeUndefined();
});

test('the stream ends when the token loses access', async () => {
  const hub = await serveHub();
  const frames = await listen(hub, { resourceSubscriptions: [STATUS] });
  await frames.message();
  hub.hub.revocations.announce({ token_id: 'of another agent' });
  hub.hub.revocations.announce({ token_id: hub.caller.token_id });
  expect(await frames.message()).toMatchObject({ result: {} });
  expect(await frames.message()).toBeUndefined();
});

test('each resource uses one connection slot of its token', async () => {
  const hub = await serveHub();
  const inboxes = (count: number) => ({
    resourceSubscriptions: Array.from({ length: count }, (_, number) => `hub://inbox/agent-${number}`),
  });
  const frames = await listen(hub, inboxes(60));
  expect(hub.app.mcp.count()).toBe(60);
  const other = await listen(hub, {}); // without a reference, its connection closes with the garbage collection
  expect(hub.app.mcp.count()).toBe(61);
  const refused = await post(
    hub.url,
    hub.networkToken,
    modernPost('subscriptions/listen', { notifications: inboxes(40) }, 'more'),
  );
  expect({ status: refused.status, text: await refused.text() }).toMatchObject({
    status: 429,
    text: expect.stringContaining('100 open waiting calls and subscriptions'),
  });
  frames.close();
  await expect.poll(hub.app.mcp.count).toBe(1);
  other.close();
  await expect.poll(hub.app.mcp.count).toBe(0);
});

test('a disconnected client leaves no listener behind', async () => {
  const hub = await serveHub();
  let listeners = 0;
  const { follow } = hub.hub.broker;
  hub.hub.broker.follow = (topic, follower) => {
    const stop = follow(topic, follower);
    listeners++;
    return () => {
      listeners--;
      return stop();
    };
  };
  const frames = await listen(hub, { resourceSubscriptions: [STATUS, BOBS] });
  await frames.message();
  expect(listeners).toBe(2);
  await frames.close();
  await expect.poll(() => listeners).toBe(0);
});

test.each([undefined, null, [], 'x', { resourceSubscriptions: 'hub://status' }, { resourceSubscriptions: [7] }])(
  '%j is not a valid subscription',
  async (notifications) => {
    const hub = await serveHub();
    const response = await post(hub.url, hub.networkToken, modernPost('subscriptions/listen', { notifications }));
    expect(await response.json()).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining('notifications') },
    });
  },
);
