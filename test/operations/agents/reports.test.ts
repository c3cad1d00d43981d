// How a report changes the session: given fields are set, omitted fields keep their value, and long ones are truncated.
import { describe, expect, test } from 'vitest';
import { SESSION_STATUSES } from '../../../server/domain/session.ts';
import { timestamp } from '../../../server/domain/time/time.ts';
import { clientHook } from '../../../server/operations/agents/client-hook.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { getAllStatus, listSessions } from '../../../server/operations/sessions/get-all-status.ts';
import { getSessionStatus } from '../../../server/operations/sessions/get-session-status.ts';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { expire } from '../../../server/sweeps/sweeps.ts';
import { type Fixture, listenTo, openFixture, type Row, report, rowsOf, send } from '../../support/fixture.ts';

const EVERYTHING = {
  task: 'thinking',
  output: 'so far',
  score: 7.5,
  progress: 40,
  agent: 'builder',
  model: 'large',
  channels: '["a","b"]',
  server: 'one',
  hostname: 'box',
  project_dir: '/src',
  version: '1.2',
  tmux_name: 'pane',
  node_id: 'node-1',
  session_id: 's-1',
  config_path: '/etc/x',
  node_name: 'first',
};

async function session(fixture: Fixture, alias = 'bob'): Promise<Row> {
  const [row] = await rowsOf(fixture, 'SELECT * FROM sessions WHERE alias = ?', alias);
  if (row === undefined) throw new Error(`no session of ${alias}`);
  return row;
}

test('a report returns the inbox count, before and after a message arrives', async () => {
  const fixture = await openFixture();
  expect(await report(fixture, 'bob')).toEqual({ ok: true, resume_id: 'bob-1', alias: 'bob', inbox_count: 0 });
  await send(fixture);
  expect(await report(fixture, 'bob')).toMatchObject({ inbox_count: 1 });
});

test.each(SESSION_STATUSES)('the status %s is shown as reported', async (status) => {
  const fixture = await openFixture();
  await report(fixture, 'bob', { status });
  expect(await fixture.ask(getAllStatus, {})).toMatchObject({
    sessions: [{ alias: 'bob', status }],
    summary: [{ status, count: 1 }],
  });
});

test('every given attribute is stored', async () => {
  const fixture = await openFixture();
  await report(fixture, 'bob', EVERYTHING);
  expect(await session(fixture)).toMatchObject(EVERYTHING);
});

test('omitted attributes keep their value', async () => {
  const fixture = await openFixture();
  await report(fixture, 'bob', EVERYTHING);
  fixture.hub.clock.advance(1_000);
  await report(fixture, 'bob', { status: 'working' });
  expect(await session(fixture)).toMatchObject({
    ...EVERYTHING,
    status: 'working',
    last_seen_at: fixture.hub.clock.now(),
  });
});

test.each(Object.entries(EVERYTHING).filter(([key]) => key !== 'task'))(
  'a later %s replaces the previous one and nothing else',
  async (key, value) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', EVERYTHING);
    const later = typeof value === 'number' ? value + 1 : key === 'channels' ? '["c"]' : `${value}!`;
    await report(fixture, 'bob', { [key]: later });
    expect(await session(fixture)).toMatchObject({ ...EVERYTHING, [key]: later });
  },
);

test.each(['task', 'channels'] as const)('an empty %s clears it, and an omitted one keeps it', async (key) => {
  const fixture = await openFixture();
  await report(fixture, 'bob', EVERYTHING);
  await report(fixture, 'bob');
  expect((await session(fixture))[key]).toBe(EVERYTHING[key]);
  await report(fixture, 'bob', { [key]: '' });
  expect((await session(fixture))[key]).toBeNull();
});

describe('output keeps its last 4000 characters, without splitting one', () => {
  test.each([
    ['one too many', `x${'a'.repeat(4_000)}`, 'a'.repeat(4_000)],
    ['exactly as many', 'a'.repeat(4_000), 'a'.repeat(4_000)],
    ['none', '', ''],
    ['an emoji just before the cut', `😀${'a'.repeat(4_000)}`, 'a'.repeat(4_000)],
    ['an emoji just after the cut', `xx😀${'a'.repeat(3_999)}`, `😀${'a'.repeat(3_999)}`],
    ['emoji only', '😀'.repeat(4_001), '😀'.repeat(4_000)],
    ['emoji, and a letter that shifts them', `${'😀'.repeat(5_000)}z`, `${'😀'.repeat(3_999)}z`],
    ['Chinese', '猫'.repeat(4_005), '猫'.repeat(4_000)],
    ['the maximum length', 'b'.repeat(46_000) + 'c'.repeat(4_000), 'c'.repeat(4_000)],
  ])('%s', async (_, output, stored) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { output });
    expect((await session(fixture))['output']).toBe(stored);
  });
});

describe('the moment of the last progress', () => {
  const BEFORE = { status: 'working', task: 'build', progress: 10, output: 'compiling' };

  test.each<[string, object, boolean]>([
    ['the same report', {}, false],
    ['another model', { model: 'larger' }, false],
    ['another status', { status: 'blocked' }, true],
    ['another task', { task: 'test' }, true],
    ['more progress', { progress: 11 }, true],
    ['more output', { output: 'compiling\nlinking' }, true],
  ])('%s', async (_, changes, isProgress) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', BEFORE);
    const before = fixture.hub.clock.now();
    fixture.hub.clock.advance(60_000);
    await report(fixture, 'bob', { ...BEFORE, ...changes });
    const after = fixture.hub.clock.now();
    expect(await session(fixture)).toMatchObject({
      last_seen_at: after,
      last_progress_at: isProgress ? after : before,
    });
  });

  test('a heartbeat is none, and a return from offline and a completion are', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', BEFORE);
    const before = fixture.hub.clock.now();
    fixture.hub.clock.advance(60_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    await flushWriteBehind(fixture.hub);
    expect(await session(fixture)).toMatchObject({ last_progress_at: before });
    await report(fixture, 'bob', { status: 'offline' });
    fixture.hub.clock.advance(60_000);
    await report(fixture, 'bob', BEFORE);
    expect(await session(fixture)).toMatchObject({ last_progress_at: fixture.hub.clock.now() });
    fixture.hub.clock.advance(60_000);
    await fixture.ask(reportCompletion, { alias: 'bob', task: 'it', result: 'done' });
    expect(await session(fixture)).toMatchObject({ last_progress_at: fixture.hub.clock.now() });
  });

  test('is in the list and in the events of the network, with the last line of the output', async () => {
    const fixture = await openFixture();
    const events = listenTo(fixture);
    await report(fixture, 'bob', { output: `${'earlier\n'.repeat(900)}\x1b[32m✓ 41 passed\x1b[0m  \n\n` });
    const shown = { last_progress_at: timestamp(fixture.hub.clock.now()), last_output: '✓ 41 passed' };
    expect((await fixture.ask(listSessions, {})).sessions[0]).toMatchObject(shown);
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject(shown);
  });
});

describe('the moment since when the status lasts', () => {
  test.each<[string, (fixture: Fixture) => Promise<unknown>, boolean]>([
    ['the same status', (fixture) => report(fixture, 'bob', { status: 'blocked', output: 'still waiting' }), false],
    ['another status', (fixture) => report(fixture, 'bob', { status: 'error' }), true],
    ['another alias', (fixture) => report(fixture, 'ben', { resume_id: 'bob-1', status: 'blocked' }), false],
    ['a completion', (fixture) => fixture.ask(reportCompletion, { alias: 'bob', task: 'it', result: 'done' }), true],
    [
      'a hook at the start of a turn',
      (fixture) =>
        fixture.ask(clientHook, {
          client: 'claude-code',
          alias: 'bob',
          hook_event_name: 'UserPromptSubmit',
          session_id: 's',
        }),
      true,
    ],
  ])('%s', async (_, act, isChange) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { status: 'blocked' });
    const before = fixture.hub.clock.now();
    fixture.hub.clock.advance(60_000);
    await act(fixture);
    const status_since = isChange ? fixture.hub.clock.now() : before;
    const rows = () => rowsOf(fixture, 'SELECT status_since FROM sessions');
    await expect.poll(rows).toEqual([{ status_since }]);
  });

  test('is that of going offline and of coming back', async () => {
    const fixture = await openFixture({ offline_after_seconds: 600 });
    const events = listenTo(fixture);
    await report(fixture, 'bob', { status: 'blocked' });
    const reported = fixture.hub.clock.now();
    fixture.hub.clock.advance(3_600_000);
    await expire(fixture.hub);
    const offline = { status: 'offline', status_since: timestamp(reported + 600_000) };
    expect((await fixture.ask(listSessions, {})).sessions[0]).toMatchObject(offline);
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject(offline);
    await fixture.ask(getInbox, { alias: 'bob' });
    await flushWriteBehind(fixture.hub);
    const back = { status: 'blocked', status_since: timestamp(fixture.hub.clock.now()) };
    expect((await fixture.ask(listSessions, {})).sessions[0]).toMatchObject(back);
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject(back);
    fixture.hub.clock.advance(60_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    await flushWriteBehind(fixture.hub);
    expect((await fixture.ask(listSessions, {})).sessions[0]).toMatchObject(back);
    expect((await fixture.ask(getSessionStatus, { alias: 'bob' })).session).toMatchObject(back);
    expect((await fixture.ask(getAllStatus, {})).sessions[0]).toMatchObject(back);
  });
});

describe('report_completion', () => {
  test('sets the session to idle, whatever its status, and is a heartbeat', async () => {
    for (const status of SESSION_STATUSES) {
      const fixture = await openFixture();
      await report(fixture, 'bob', { status });
      fixture.hub.clock.advance(60_000);
      await fixture.ask(reportCompletion, { alias: 'bob', task: 'it', result: 'done' });
      expect(await session(fixture)).toMatchObject({ status: 'idle', last_seen_at: fixture.hub.clock.now() });
    }
  });

  test('is recorded even for an unknown alias, and creates no session', async () => {
    const fixture = await openFixture();
    const { completion_id } = await fixture.ask(reportCompletion, {
      alias: 'bob',
      task: 'it',
      result: 'done',
      artifacts: ['/a', 'b'],
      score: 9.5,
      duration_minutes: 2.5,
    });
    expect(
      await rowsOf(
        fixture,
        'SELECT id, alias, task, result, artifacts, score, duration_minutes, completed_at FROM completions',
      ),
    ).toEqual([
      {
        id: completion_id,
        alias: 'bob',
        task: 'it',
        result: 'done',
        artifacts: '["/a","b"]',
        score: 9.5,
        duration_minutes: 2.5,
        completed_at: fixture.hub.clock.now(),
      },
    ]);
    expect(await rowsOf(fixture, 'SELECT alias FROM sessions')).toEqual([]);
  });
});

test('each change of a session is on the stream of its network', async () => {
  const fixture = await openFixture();
  const received = listenTo(fixture);
  await report(fixture, 'bob', { status: 'working', task: 'thinking', progress: 10 });
  await fixture.ask(reportCompletion, { alias: 'bob', task: 'it', result: 'done' });
  expect(received.map(({ name, alias, data }) => [name, alias, JSON.parse(data)])).toEqual([
    [
      'session',
      null,
      expect.objectContaining({ type: 'session', alias: 'bob', status: 'working', task: 'thinking', progress: 10 }),
    ],
    ['session', null, expect.objectContaining({ type: 'session', alias: 'bob', status: 'idle' })],
  ]);
});

test('the session events that follow a completion count the inbox after it', async () => {
  const fixture = await openFixture();
  await report(fixture, 'bob');
  const task_id = await send(fixture);
  const events = listenTo(fixture);
  await fixture.ask(reportCompletion, { alias: 'bob', task: task_id, result: 'done' });
  expect((await fixture.ask(getInbox, { alias: 'bob' })).messages).toEqual([]);
  expect(
    new Set(events.filter(({ name }) => name === 'session').map(({ data }) => JSON.parse(data).inbox_count)),
  ).toEqual(new Set([0]));
});
