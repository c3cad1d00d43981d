// What REST lists offer beyond a page of the newest items: oldest first, totals, and pending items.
import { expect, test } from 'vitest';
import { MAX_PAGE_BYTES } from '../../server/domain/limits.ts';
import { encodedBytes } from '../../server/domain/text/encoded-bytes.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { listMessages } from '../../server/operations/messages/list-messages.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { showMessage } from '../../server/operations/messages/show-message.ts';
import { createInvite } from '../../server/operations/networks/create-invite.ts';
import { joinNetwork } from '../../server/operations/networks/join-network.ts';
import { previewInvite } from '../../server/operations/networks/preview-invite.ts';
import { withdrawInvite } from '../../server/operations/networks/withdraw-invite.ts';
import { perform } from '../../server/operations/operation.ts';
import { numbered, readPage, withCut } from '../../server/operations/page.ts';
import { getStats } from '../../server/operations/records/get-stats.ts';
import { inSlices, openTimeLimit, type TimeLimit } from '../../server/operations/slices.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { queryTasks } from '../../server/operations/tasks/list-tasks.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { showTask } from '../../server/operations/tasks/show-task.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { listTokens } from '../../server/operations/tokens/list-tokens.ts';
import { scoped } from '../../server/store/engine/database.ts';
import * as messages from '../../server/store/messages.ts';
import * as tasks from '../../server/store/tasks.ts';
import { as, openFixture, outcomeOf, report, send } from '../support/fixture.ts';
import { listOf, objectIn } from '../support/json.ts';
import { foundNetwork } from '../support/test-hub.ts';

test('tasks come oldest first on request, page by page, with a total of all matches', async () => {
  const fixture = await openFixture();
  for (const task of ['a', 'b', 'c', 'd', 'e']) await send(fixture, { task });
  const first = await fixture.ask(queryTasks, { order: 'oldest', limit: 2, with_total: 'true' });
  expect([first.tasks.map(({ content }) => content), Reflect.get(first, 'total')]).toEqual([['a', 'b'], 5]);
  const second = await fixture.ask(queryTasks, { order: 'oldest', limit: 2, cursor: first.next_cursor });
  expect([second.tasks.map(({ content }) => content), 'total' in second]).toEqual([['c', 'd'], false]);
  const some = await fixture.ask(queryTasks, { text: 'E', with_total: 'true', limit: 1 });
  expect(Reflect.get(some, 'total')).toBe(1);
});

test('tasks come as outlines on request: the beginning of their texts, without context', async () => {
  const fixture = await openFixture();
  const [long, short] = ['😀'.repeat(300), 'short'];
  const task_id = await send(fixture, { task: long, context: 'much' });
  await fixture.ask(sendReply, { alias: 'alice', text: `${short} ${long}`, in_reply_to: task_id });
  await send(fixture, { task: short });
  const { tasks } = await fixture.ask(queryTasks, { outline: 'true' });
  expect(tasks.map(({ content, result }) => [content, result])).toEqual([
    [short, null],
    ['😀'.repeat(250), `${short} ${'😀'.repeat(244)}`],
  ]);
  expect(tasks.every((each) => 'is_outline' in each && !('context' in each))).toBe(true);
  expect((await fixture.ask(queryTasks, { text: 'short 😀', outline: 'true' })).tasks).toHaveLength(1);
  expect((await fixture.ask(queryTasks, { outline: 'false' })).tasks.at(-1)).toMatchObject({
    content: long,
    context: 'much',
  });
});

test('tasks of several networks come in one order', async () => {
  const fixture = await openFixture();
  const other = await foundNetwork(fixture.hub);
  await send(fixture, { task: 'a' });
  await send(as(fixture, other), { task: 'b' });
  await send(fixture, { task: 'c' });
  const both = as(fixture, { memberships: [...fixture.caller.memberships, ...other.memberships], token_kind: 'user' });
  const { tasks, ...page } = await both.ask(queryTasks, { order: 'oldest', limit: 2, with_total: 'true' });
  expect([tasks.map(({ content }) => content), Reflect.get(page, 'total')]).toEqual([['a', 'b'], 3]);
});

test('a filter without an index is searched in slices, in every network and from either end, and counted', async () => {
  const fixture = await openFixture();
  const other = as(fixture, await foundNetwork(fixture.hub));
  for (let number = 0; number < 150; number++)
    await send(number % 3 === 0 ? other : fixture, { task: `${number % 50 === 0 ? 'Rare ÄÖ %_' : 'usual'} ${number}` });
  const both = as(fixture, {
    memberships: [...fixture.caller.memberships, ...other.caller.memberships],
    token_kind: 'user',
  });
  const texts = async (request: object) => {
    const { tasks, ...page } = await both.ask(queryTasks, { with_total: 'true', ...request });
    return [tasks.map(({ content }) => content), Reflect.get(page, 'total'), 'next_cursor' in page];
  };
  expect(await texts({ text: 'rAre' })).toEqual([['Rare ÄÖ %_ 100', 'Rare ÄÖ %_ 50', 'Rare ÄÖ %_ 0'], 3, false]);
  expect(await texts({ text: 'ÄÖ %_ 5' })).toEqual([['Rare ÄÖ %_ 50'], 1, false]);
  expect(await texts({ text: 'rare äö' })).toEqual([[], 0, false]); // letters beyond ASCII unchanged
  expect(await texts({ text: 'rare', order: 'oldest', limit: 2 })).toEqual([
    ['Rare ÄÖ %_ 0', 'Rare ÄÖ %_ 50'],
    3,
    true,
  ]);
  expect(await texts({ text: 'nothing' })).toEqual([[], 0, false]);
  expect(
    await texts({ text: 'rare', to_name: 'bob', from_name: 'alice', status: 'delivered', priority: 'normal' }),
  ).toMatchObject([{ length: 3 }, 3, false]);
});

test('a search stops reading once its client has disconnected', async () => {
  const fixture = await openFixture();
  for (let number = 0; number < 300; number++) await send(fixture, { task: `task ${number}` });
  let reads = 0;
  const read: typeof fixture.hub.store.read = (...args) => {
    reads += 1;
    return fixture.hub.store.read(...args);
  };
  const hub = { ...fixture.hub, store: { ...fixture.hub.store, read } };
  const search = perform(
    queryTasks,
    hub,
    fixture.caller,
    { text: 'nothing' },
    { recipient: { hasLeft: () => reads === 2 } },
  );
  await expect(search).rejects.toMatchObject({ code: 'client_left' });
  expect(reads).toBe(2);
});

test('messages are found by part of their text, and those of tasks can be left out', async () => {
  const fixture = await openFixture();
  await report(fixture, 'bob');
  const task_id = await send(fixture, { task: 'Paint the Wall' });
  await fixture.ask(sendMessage, { alias: 'bob', message: 'which WALL? ÄÖ %_' });
  await fixture.ask(sendMessage, { alias: 'bob', message: 'the door' });
  await fixture.ask(broadcast, { content: 'walls dry slowly' });
  await fixture.ask(sendReply, { alias: 'alice', text: 'the wall is white', in_reply_to: task_id });
  const found = async (request: object) => (await fixture.ask(listMessages, request)).messages.map((each) => each.type);
  expect(await found({ text: 'wall' })).toEqual(['reply', 'broadcast', 'message', 'task']);
  expect(await found({ text: 'wall', without_tasks: 'true' })).toEqual(['reply', 'broadcast', 'message']);
  expect(await found({ text: 'wall', alias: 'bob', without_tasks: 'true' })).toEqual(['broadcast', 'message']);
  expect(await found({ type: 'message' })).toEqual(['message', 'message']);
  expect(await found({ type: 'reply', text: 'wall' })).toEqual(['reply']);
  expect(await found({ type: 'task', without_tasks: 'true' })).toEqual([]);
  expect(await found({ text: '? äö' })).toEqual([]);
  expect(await found({ text: '? ÄÖ %' })).toEqual(['message']);
});

test('a partial search returns what it found when its time was up, and its cursor continues', async () => {
  const fixture = await openFixture();
  for (let number = 0; number < 200; number++)
    await send(fixture, { task: `${number % 90 === 0 ? 'rare' : 'usual'} ${number}` });
  const scope = { networks: [fixture.caller.network_id], cursors: numbered(fixture.hub, 'tasks') };
  const pages: number[] = [];
  let cursor: string | undefined;
  let now = 0;
  do {
    const timeLimit: TimeLimit = { isOver: () => true };
    const read = inSlices(
      { store: scoped(fixture.hub.store) },
      (reader, slice) => tasks.listSlice(reader, { text: 'rare' }, { ...slice, rows: 60 }),
      { timeLimit, elapsed: () => (now += 10) }, // each slice uses up its read
    );
    const { items, ...page } = await readPage(scope, { limit: 50, cursor }, read);
    cursor = withCut(scope, page, timeLimit.cutAt).next_cursor;
    pages.push(items.length);
  } while (cursor !== undefined);
  expect(pages).toEqual([1, 1, 0, 1]);
  expect((await fixture.ask(queryTasks, { text: 'rare', partial: 'true' })).tasks).toHaveLength(3);
});

test.each([
  ['pending', true],
  ['done', false],
])('messages of a network that are %s are scanned no further than a slice', async (_, pending) => {
  const fixture = await openFixture();
  for (let number = 0; number < 30; number++) await fixture.ask(sendMessage, { alias: 'bob', message: `${number}` });
  if (pending) await fixture.hub.store.write((tx) => tx.run('UPDATE messages SET acked_at = 1'));
  const networks = [fixture.caller.network_id];
  const scan = (beyond?: number) =>
    fixture.hub.store.read((reader) =>
      messages.listSlice(reader, { pending }, { networks, beyond, limit: 5, rows: 20 }),
    );
  const first = await scan();
  expect(first).toEqual({ found: [], end: expect.any(Number) });
  expect(await scan(first.end)).toEqual({ found: [], end: undefined });
});

test('a partial search runs out of time', () => {
  let now = 0;
  const timeLimit = openTimeLimit(() => now);
  expect(timeLimit.isOver()).toBe(false);
  now += 400;
  expect(timeLimit.isOver()).toBe(true);
});

test('a message is shown by its id, or by the id of its task, whatever inbox it is in', async () => {
  const fixture = await openFixture();
  const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'hello' });
  const task_id = await send(fixture, { task: 'Paint' });
  const shown = async (id: string) => (await fixture.ask(showMessage, { message_id: id })).message;
  expect(await shown(message_id)).toMatchObject({ id: message_id, type: 'message', alias: 'bob', content: 'hello' });
  expect(await shown(task_id)).toMatchObject({ id: task_id, type: 'task', content: 'Paint', task_id });
  expect(await outcomeOf(shown('msg_nowhere'))).toBe('message not found or not yours');
});

test('across several networks, only the rows shown are read in full', async () => {
  const fixture = await openFixture();
  const other = await foundNetwork(fixture.hub);
  for (const task of ['a', 'b', 'c']) {
    await send(fixture, { task });
    await send(as(fixture, other), { task });
  }
  const networks = [fixture.caller.network_id, other.network_id];
  let rows = 0;
  const found = await fixture.hub.store.read(async (reader) => {
    const all: typeof reader.all = async (sql, args) =>
      (await reader.all<never>(sql, args)).map((row) => {
        if (Object.hasOwn(row, 'content')) rows++;
        return row;
      });
    return (await messages.listSlice({ ...reader, all }, {}, { networks, limit: 2, rows: 8 })).found;
  });
  expect([rows, found.map(({ network_id }) => network_id)]).toEqual([2, networks.toReversed()]);
  expect(found.map(({ content }) => content)).toEqual(['c', 'c']);
});

test('messages show when they were cancelled, and pending ones can be listed', async () => {
  const fixture = await openFixture();
  const [kept, acked, cancelled] = [
    await send(fixture, { task: 'a' }),
    await send(fixture, { task: 'b' }),
    await send(fixture, { task: 'c' }),
  ];
  await fixture.ask(ackInbox, { alias: 'bob', message_id: acked });
  await fixture.ask(cancelTask, { task_id: cancelled });
  const found = async (pending: string) => (await fixture.ask(listMessages, { alias: 'bob', pending })).messages;
  expect((await found('true')).map(({ type, id }) => (type === 'task' ? id : type))).toEqual(['cancel', kept]);
  expect((await found('false')).map(({ id, withdrawn_at }) => [id, withdrawn_at === undefined])).toEqual([
    [cancelled, false],
    [acked, true],
  ]);
});

test('hub-wide statistics are for its admin', async () => {
  const fixture = await openFixture();
  await report(fixture, 'bob');
  await send(fixture);
  await send(as(fixture, await foundNetwork(fixture.hub)), {});
  const admin = as(fixture, { system_role: 'admin', token_kind: 'user', memberships: [] });
  expect(await admin.ask(getStats, { scope: 'hub' })).toMatchObject({
    sessions: { total: 1, online: 1 },
    tasks: { total: 2, delivered: 2 },
    networks: 2,
  });
  expect(await admin.ask(getStats, {})).toMatchObject({ sessions: { total: 0 }, tasks: { total: 0 } });
  expect(
    await outcomeOf(as(fixture, { system_role: 'user', token_kind: 'user' }).ask(getStats, { scope: 'hub' })),
  ).toBe('forbidden');
  expect(
    await outcomeOf(as(fixture, { system_role: 'admin', token_kind: 'network' }).ask(getStats, { scope: 'hub' })),
  ).toBe('forbidden');
});

test('the token of the request is marked in the token list', async () => {
  const fixture = await openFixture();
  const { token } = await perform(register, fixture.hub, { ip: '127.0.0.1' }, { username: 'ann', password: 'secret' });
  const { tokens } = await as(fixture, (await identify(fixture.hub, token, '127.0.0.1')) ?? {}).ask(listTokens, {});
  expect(tokens.map(({ kind, ...more }) => [kind, 'current' in more])).toEqual(
    expect.arrayContaining([
      ['user', true],
      ['network', false],
    ]),
  );
});

test('an invite shows its scope while it is open', async () => {
  const fixture = as(await openFixture(), { token_kind: 'user' });
  const { network_id } = fixture.caller;
  const { invite_code, invite_id } = await fixture.ask(createInvite, { network_id, role: 'viewer' });
  expect(await fixture.ask(previewInvite, { invite_code })).toMatchObject({
    role: 'viewer',
    network_name: expect.any(String),
    owner_name: expect.any(String),
  });
  expect(await outcomeOf(fixture.ask(previewInvite, { invite_code: 'inv_nonsense' }))).toBe('invite_invalid');
  const outsider = as(fixture, { ...(await foundNetwork(fixture.hub)), token_kind: 'user' });
  await outsider.ask(joinNetwork, { invite_code });
  expect(await outcomeOf(fixture.ask(previewInvite, { invite_code }))).toBe('invite_used_up');
  await fixture.ask(withdrawInvite, { network_id, invite_id });
  expect(await outcomeOf(fixture.ask(previewInvite, { invite_code }))).toBe('invite_invalid');
  const short = await fixture.ask(createInvite, { network_id, expires_in_days: 1 });
  fixture.hub.clock.advance(86_400_000);
  expect(await outcomeOf(fixture.ask(previewInvite, { invite_code: short.invite_code }))).toBe('invite_expired');
});

test('a page of large tasks ends early, and the cursor continues with the rest', async () => {
  const fixture = await openFixture();
  const large = { context: 'y'.repeat(9_000) };
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => send(fixture, { task: `${index} `.padEnd(9_000, 'x'), ...large })),
  );
  const first = await fixture.ask(queryTasks, { limit: 500 });
  expect(first.count).toBeGreaterThan(25);
  expect(first.count).toBeLessThanOrEqual(Math.ceil(MAX_PAGE_BYTES / 18_000));
  const second = await fixture.ask(queryTasks, { limit: 500, cursor: first.next_cursor });
  expect(new Set([...first.tasks, ...second.tasks].map(({ task_id }) => task_id)).size).toBe(50);
  expect(second).not.toHaveProperty('next_cursor');
});

test('a page of small tasks has the requested number, and the next page has the rest', async () => {
  const fixture = await openFixture();
  await Promise.all(Array.from({ length: 250 }, (_, index) => send(fixture, { task: `task ${index}` })));
  const first = await fixture.ask(queryTasks, { limit: 249 });
  expect(first.count).toBe(249);
  const second = await fixture.ask(queryTasks, { limit: 249, cursor: first.next_cursor });
  expect([second.tasks.map(({ content }) => content), 'next_cursor' in second]).toEqual([['task 0'], false]);
});

test('a page ends by its encoded size, where a control character takes six bytes', async () => {
  const fixture = await openFixture();
  await Promise.all(
    Array.from({ length: 14 }, (_, index) => send(fixture, { task: `${index} `.padEnd(10_000, '\u0001') })),
  );
  const first = await fixture.ask(queryTasks, { limit: 500 });
  expect(encodedBytes(first)).toBeLessThan(MAX_PAGE_BYTES * 1.1);
  const second = await fixture.ask(queryTasks, { limit: 500, cursor: first.next_cursor });
  expect(first.count + second.count).toBe(14);
});

test('a task with very many retries shows the latest ones, in order', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  for (let attempt = 1; attempt <= 20; attempt++) {
    const text = `${attempt} `.padEnd(10_000, '\u0001');
    await fixture.ask(sendReply, { alias: 'alice', text, in_reply_to: task_id, from_session: 'bob', status: 'failed' });
    await fixture.ask(retryTask, { task_id });
  }
  const shown = await fixture.ask(showTask, { task_id });
  expect(encodedBytes(shown)).toBeLessThan(MAX_PAGE_BYTES * 1.1);
  const attempts = listOf(objectIn(JSON.stringify(shown)), 'replies').map(({ attempt }) => attempt);
  expect(attempts).toEqual(Array.from({ length: attempts.length }, (_, index) => 21 - attempts.length + index));
  expect([shown.events.at(0), shown.events.at(-1)]).toMatchObject([{ from_status: null }, { to_status: 'delivered' }]);
});
