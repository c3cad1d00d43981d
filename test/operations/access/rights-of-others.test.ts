// A change of rights that does not affect the caller ends none of their connections, also while they are being opened.
// One that does is reported before a stream begins, and as an error to a wait.
import { describe, expect, onTestFinished, test } from 'vitest';
import { updateMe } from '../../../server/operations/accounts/update-me.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { changeMember } from '../../../server/operations/networks/change-member.ts';
import { createNetwork } from '../../../server/operations/networks/create-network.ts';
import { removeMember } from '../../../server/operations/networks/remove-member.ts';
import { updateNetwork } from '../../../server/operations/networks/update-network.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import { serveTestHub } from '../../api/tenancy/served-hub.ts';
import { ask, signUp, signUpInto, type User } from '../../api/tenancy/users.ts';
import { framesOf, legacyPost, modernPost, send as post, TAKES_JSON } from '../../support/http/mcp-posts.ts';
import type { TestHub } from '../../support/test-hub.ts';

type Fixture = {
  hub: TestHub;
  url: string;
  owner: User;
  affected: User;
  outsider: User;
  taskId: string;
  untilOpen(): Promise<void>;
};

/** `take` runs just before this read, and at the latest once the access is watched. */
async function openBetween(read: number, take: (fixture: Fixture) => Promise<unknown>): Promise<Fixture> {
  let untilRead = Infinity;
  let taken: Promise<unknown> | undefined;
  let reading = 0;
  let watched = 0;
  const takeNow = () => (taken ??= take(fixture));
  const { hub, url } = await serveTestHub((served) => ({
    ...served,
    store: {
      ...served.store,
      read: async (work) => {
        reading++;
        if (--untilRead === 0) await takeNow();
        return served.store.read(work).finally(() => void reading--);
      },
    },
    revocations: {
      ...served.revocations,
      watch: (...args) => {
        const stop = served.revocations.watch(...args);
        watched++;
        if (untilRead < Infinity) void takeNow();
        return stop;
      },
    },
  }));
  const owner = await signUp(hub, 'owner');
  const affected = await signUpInto(hub, 'victim', 'member', owner);
  const outsider = await signUp(hub, 'stranger');
  const { task_id: taskId } = await ask(hub, owner.ntok, sendTask, {
    alias: 'bob',
    task: 'wait for me',
    from_session: 'alice',
  });
  const untilOpen = async () => {
    await expect.poll(() => watched).toBe(1);
    await taken;
    await expect.poll(() => reading).toBe(0);
  };
  const fixture: Fixture = { hub, url, owner, affected, outsider, taskId, untilOpen };
  for (const token of [affected.ntok, affected.utok])
    await fetch(`${url}/api/stats`, { headers: { Authorization: `Bearer ${token}` } });
  untilRead = read;
  return fixture;
}

/** Opens it, triggers an event and returns the response. Each ends early for a different reason. */
const OPENINGS: Readonly<
  Record<string, (fixture: Fixture) => Promise<{ status: number; seen(): Promise<unknown>; wanted: unknown }>>
> = {
  'the stream of an agent': (fixture) => stream(fixture, '/events/bob', fixture.affected.ntok),
  'the stream of a user': (fixture) => stream(fixture, '/events', fixture.affected.utok),
  wait_task: async (fixture) => {
    const response = call(fixture, { name: 'wait_task', arguments: { task_id: fixture.taskId, timeout_seconds: 300 } });
    return { status: 200, wanted: expect.objectContaining({ settled: true }), seen: () => response };
  },
  get_inbox: async (fixture) => {
    const response = call(fixture, { name: 'get_inbox', arguments: { alias: 'carl', wait_seconds: 300 } });
    return {
      status: 200,
      wanted: expect.objectContaining({ messages: [expect.objectContaining({ content: 'hello' })] }),
      seen: () => response,
    };
  },
  'a subscription': async ({ url, affected }) => {
    const response = await post(
      url,
      affected.ntok,
      modernPost('subscriptions/listen', { notifications: { resourceSubscriptions: ['hub://inbox/carl'] } }),
    );
    const frames = framesOf(response);
    onTestFinished(frames.close);
    await frames.message();
    return {
      status: response.status,
      wanted: expect.objectContaining({ method: 'notifications/resources/updated' }),
      seen: () => frames.message(),
    };
  },
};

async function stream({ url }: Fixture, path: string, token: string) {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` }, signal: leaving.signal });
  return {
    status: response.status,
    wanted: expect.stringContaining('"type":"new_message"'),
    seen: () => textUntil(response, 'new_message'),
  };
}

async function textUntil({ body }: Response, word: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) if ((text += decoder.decode(bytes, { stream: true })).includes(word)) break;
  return text;
}

async function call({ url, affected }: Fixture, params: object): Promise<unknown> {
  const response = await (await post(url, affected.ntok, legacyPost('tools/call', params), TAKES_JSON)).json();
  return JSON.parse(response.result.content[0].text);
}

async function happen({ hub, owner, taskId }: Fixture): Promise<void> {
  for (const alias of ['bob', 'carl'])
    await ask(hub, owner.ntok, sendMessage, { alias, message: 'hello', from_session: 'alice' });
  await ask(hub, owner.ntok, sendReply, { alias: 'alice', text: 'done', in_reply_to: taskId, from_session: 'bob' });
}

const OTHERS: Readonly<Record<string, (fixture: Fixture) => Promise<unknown>>> = {
  'another user revokes a token': ({ hub, outsider }) => createAndRevoke(hub, outsider, outsider.network_id),
  'a user registers': ({ hub }) => signUp(hub, 'newcomer'),
  'another token of the caller is revoked': ({ hub, affected, owner }) =>
    createAndRevoke(hub, affected, owner.network_id),
  'another member of the network leaves it': async ({ hub, owner }) => {
    const { utok, user_id } = await signUpInto(hub, 'viewer', 'viewer', owner);
    await ask(hub, utok, removeMember, { network_id: owner.network_id, user_id });
  },
};

async function createAndRevoke(hub: TestHub, { utok }: User, network_id: string): Promise<void> {
  const { token_id } = await ask(hub, utok, createToken, { name: 'for a moment', network_id });
  await ask(hub, utok, revokeToken, { token_id });
}

describe.each(Object.entries(OTHERS))('what is being opened stays open when %s', (_, take) => {
  test.each(Object.entries(OPENINGS))('%s', async (title, open) => {
    for (const read of [1, 2, 3, 4]) {
      const fixture = await openBetween(read, take);
      const { status, seen, wanted } = await open(fixture);
      await fixture.untilOpen();
      await happen(fixture);
      expect({ status, seen: await seen() }, `${title}, taken before read ${read}`).toEqual({
        status: 200,
        seen: wanted,
      });
    }
  });
});

describe('a request whose access is revoked while it opens', () => {
  const leave = ({ hub, owner, affected }: Fixture) =>
    ask(hub, owner.utok, removeMember, { network_id: owner.network_id, user_id: affected.user_id });

  test.each([1, 2, 3])('gets a 401 before the stream begins, revoked before read %i', async (read) => {
    const fixture = await openBetween(read, leave);
    const response = await fetch(`${fixture.url}/events/bob`, {
      headers: { Authorization: `Bearer ${fixture.affected.ntok}` },
    });
    if (response.status === 200) return void (await response.text()); // revoked after the stream began, so it ended
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
  });

  test('gets a 403 where the token is valid but the user left the network', async () => {
    const fixture = await openBetween(1, leave);
    const response = await fetch(`${fixture.url}/events?network_id=${fixture.owner.network_id}`, {
      headers: { Authorization: `Bearer ${fixture.affected.utok}` },
    });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
  });

  test.each([1, 2, 3])(
    'must be repeated if it covers all networks of a user and one is removed, before read %i',
    async (read) => {
      const fixture = await openBetween(read, leave);
      const response = await fetch(`${fixture.url}/events`, {
        headers: { Authorization: `Bearer ${fixture.affected.utok}` },
      });
      if (response.status === 200) return void (await response.text());
      expect({ status: response.status, body: await response.json() }).toMatchObject({
        status: 503,
        body: { message: 'your access has just changed; try again' },
      });
    },
  );

  test.each([1, 2, 3, 4])('gets an error from a waiting tool, revoked before read %i', async (read) => {
    const fixture = await openBetween(read, leave);
    expect(await call(fixture, { name: 'get_inbox', arguments: { alias: 'carl', wait_seconds: 300 } })).toMatchObject({
      ok: false,
      error: 'permission_denied',
    });
  });
});

test('a role change in one network ends connections there, but not in another network', async () => {
  const fixture = await openBetween(Infinity, async () => {});
  const { hub, owner, affected } = fixture;
  const { network_id } = await ask(hub, affected.utok, createNetwork, { name: 'own' });
  const streams = await Promise.all(
    [network_id, owner.network_id].map((id) => stream(fixture, `/events?network_id=${id}`, affected.utok)),
  );
  await ask(hub, owner.utok, changeMember, { network_id: owner.network_id, user_id: affected.user_id, role: 'viewer' });
  expect(await streams[1]?.seen()).not.toContain('new_message'); // complete
  await ask(hub, affected.utok, sendMessage, { network_id, alias: 'x', message: 'hi', from_session: 'me' });
  expect(await streams[0]?.seen()).toContain('new_message');
});

test('a display name, and the name or size of a network, are not access rights', async () => {
  const { hub, owner, affected } = await openBetween(Infinity, async () => {});
  const before = hub.store.accessVersion();
  await ask(hub, affected.utok, updateMe, { display_name: 'Somebody' });
  await ask(hub, owner.utok, updateNetwork, {
    network_id: owner.network_id,
    network_name: 'renamed',
    description: 'again',
    max_members: 40,
  });
  expect(hub.store.accessVersion()).toBe(before);
});
