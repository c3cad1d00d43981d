// Alias ownership: one session per alias, renames that move all items, and reported takeovers.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { reportStatus } from '../../../server/operations/agents/report-status.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { perform } from '../../../server/operations/operation.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { finishPortions } from '../../../server/sweeps/finish-portions.ts';
import { as, type Fixture, openFixture, report, restarted, rowsOf, send } from '../../support/fixture.ts';
import { foundNetwork } from '../../support/test-hub.ts';

const sessions = (fixture: Fixture) => rowsOf(fixture, 'SELECT resume_id, alias FROM sessions ORDER BY alias');
const inbox = async (fixture: Fixture, alias: string) =>
  (await fixture.ask(getInbox, { alias })).messages.map(({ content }) => content);
const warningOf = async (reported: Promise<object>) =>
  'warning' in (await reported) ? ((await reported) as { warning: string }).warning : undefined;

describe('a new alias under a known resume_id renames', () => {
  test('one session remains, with all its data', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r', model: 'large' });
    await report(fixture, 'rob', { resume_id: 'r' });
    expect(await rowsOf(fixture, 'SELECT resume_id, alias, model FROM sessions')).toEqual([
      { resume_id: 'r', alias: 'rob', model: 'large' },
    ]);
  });

  test('a wait on the new alias returns the moved mail at once', { timeout: 10_000 }, async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    await fixture.ask(sendMessage, { alias: 'bob', message: 'unread' });
    const { subscribe } = fixture.hub.broker;
    const waits = new Promise<void>(
      (resolve) =>
        (fixture.hub.broker.subscribe = (...all) => {
          resolve();
          return subscribe(...all);
        }),
    );
    const waiting = fixture.ask(getInbox, { alias: 'rob', wait_seconds: 300 });
    await waits;
    await report(fixture, 'rob', { resume_id: 'r' });
    expect((await waiting).messages.map(({ content }) => content)).toEqual(['unread']);
  });

  test('pending messages and live tasks move, settled and acknowledged ones stay', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    const delivered = await send(fixture, { task: 'delivered' });
    const running = await send(fixture, { task: 'running' });
    const settled = await send(fixture, { task: 'settled' });
    await fixture.ask(ackInbox, { alias: 'bob', message_id: running });
    await fixture.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: settled });
    const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'read' });
    await fixture.ask(ackInbox, { alias: 'bob', message_id });
    await fixture.ask(sendMessage, { alias: 'bob', message: 'unread' });
    expect(await report(fixture, 'rob', { resume_id: 'r' })).toMatchObject({ inbox_count: 2 });
    expect(await inbox(fixture, 'rob')).toEqual(['delivered', 'unread']);
    expect(await inbox(fixture, 'bob')).toEqual([]);
    const { tasks } = await fixture.ask(listTasks, {});
    expect(tasks.map(({ task_id, to_name }) => [task_id, to_name])).toEqual([
      [settled, 'bob'],
      [running, 'rob'],
      [delivered, 'rob'],
    ]);
  });

  test('a moved task can be started, cancelled and reported under the new alias', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    const task_id = await send(fixture);
    await report(fixture, 'rob', { resume_id: 'r', status: 'working', task: task_id });
    expect((await fixture.ask(getTask, { task_id })).task).toMatchObject({ status: 'running', to_name: 'rob' });
    await fixture.ask(cancelTask, { task_id, reason: 'stop' });
    expect(await inbox(fixture, 'rob')).toEqual(['stop']);
    expect(await inbox(fixture, 'bob')).toEqual([]);
  });

  test('live tasks that it sent belong to the new alias, and their replies arrive there', async () => {
    const fixture = await openFixture();
    await report(fixture, 'alice', { resume_id: 'r' });
    const [waiting, settled, another] = [
      await send(fixture),
      await send(fixture, { task: 'settled' }),
      await send(fixture, { from_session: 'hub' }),
    ];
    await fixture.ask(sendReply, { alias: 'alice', text: 'x', in_reply_to: settled });
    await report(fixture, 'ann', { resume_id: 'r' });
    const { tasks } = await fixture.ask(listTasks, {});
    expect(tasks.map(({ task_id, from_name }) => [task_id, from_name])).toEqual([
      [another, 'hub'],
      [settled, 'alice'],
      [waiting, 'ann'],
    ]);
    expect((await fixture.ask(getInbox, { alias: 'bob' })).messages.map(({ from_session }) => from_session)).toEqual([
      'ann',
      'hub',
    ]);
    await fixture.ask(reportCompletion, { alias: 'bob', task: waiting, result: 'built' });
    expect(await inbox(fixture, 'ann')).toEqual(['x', 'built']);
  });

  test('task expiry checks the session under its new alias', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    const task_id = await send(fixture, { ttl_seconds: 60 });
    await fixture.ask(sendAck, { task_id });
    await report(fixture, 'rob', { resume_id: 'r' });
    fixture.hub.clock.advance(120_000);
    expect((await fixture.ask(getTask, { task_id })).task.status).toBe('running');
  });

  test("onto another session's alias replaces that session, and both inboxes merge in order of arrival", async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    await report(fixture, 'rob', { resume_id: 's', model: 'small' });
    await fixture.ask(sendMessage, { alias: 'bob', message: 'first' });
    await fixture.ask(sendMessage, { alias: 'rob', message: 'second' });
    const urgent = await send(fixture, { task: 'urgent', priority: 'high' });
    expect(await report(fixture, 'rob', { resume_id: 'r' })).toMatchObject({ inbox_count: 3 });
    expect(await sessions(fixture)).toEqual([{ resume_id: 'r', alias: 'rob' }]);
    expect(await inbox(fixture, 'rob')).toEqual(['urgent', 'first', 'second']);
    expect((await fixture.ask(getTask, { task_id: urgent })).task.to_name).toBe('rob');
  });

  test('and the replaced agent returns as a new session', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    await report(fixture, 'rob', { resume_id: 's' });
    await report(fixture, 'rob', { resume_id: 'r' });
    await report(fixture, 'bob', { resume_id: 's' });
    expect(await sessions(fixture)).toEqual([
      { resume_id: 's', alias: 'bob' },
      { resume_id: 'r', alias: 'rob' },
    ]);
  });

  test('two sessions can swap their aliases with two reports', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    await report(fixture, 'rob', { resume_id: 's' });
    await report(fixture, 'tmp', { resume_id: 'r' });
    await report(fixture, 'bob', { resume_id: 's' });
    await report(fixture, 'rob', { resume_id: 'r' });
    expect(await sessions(fixture)).toEqual([
      { resume_id: 's', alias: 'bob' },
      { resume_id: 'r', alias: 'rob' },
    ]);
  });
});

describe('a new resume_id under a known alias takes it over', () => {
  test('the old session is replaced, and the inbox stays', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'old', model: 'large' });
    await send(fixture);
    expect(await report(fixture, 'bob', { resume_id: 'new' })).toMatchObject({ inbox_count: 1 });
    expect(await rowsOf(fixture, 'SELECT resume_id, alias, model FROM sessions')).toEqual([
      { resume_id: 'new', alias: 'bob', model: null },
    ]);
  });

  test.each([
    [0, 'alias was in use by resume_id old seen 0 s ago'],
    [12_000, 'alias was in use by resume_id old seen 12 s ago'],
    [600_000, 'alias was in use by resume_id old seen 10 min ago'],
    [600_001, undefined],
  ])('%i ms after it was last seen, the warning is: %s', async (silence, warning) => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'old' });
    fixture.hub.clock.advance(silence);
    expect(await warningOf(report(fixture, 'bob', { resume_id: 'new' }))).toBe(warning);
  });

  test('a poll by the old holder counts as seen', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'old' });
    fixture.hub.clock.advance(599_000);
    await fixture.ask(getInbox, { alias: 'bob' });
    fixture.hub.clock.advance(14_000);
    await fixture.ask(getInbox, { alias: 'bob' }); // not yet written
    fixture.hub.clock.advance(5_000);
    expect(await warningOf(report(fixture, 'bob', { resume_id: 'new' }))).toContain('seen 5 s ago');
  });

  test('a holder that reported offline was seen as well', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'old', status: 'offline' });
    fixture.hub.clock.advance(12_000);
    expect(await warningOf(report(fixture, 'bob', { resume_id: 'new' }))).toContain('seen 12 s ago');
  });

  test('its own next report has no warning', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'old' });
    await report(fixture, 'bob', { resume_id: 'new' });
    expect(await warningOf(report(fixture, 'bob', { resume_id: 'new' }))).toBeUndefined();
  });
});

test('the same alias and resume_id in another network are a separate session', async () => {
  const fixture = await openFixture();
  const outsider = as(fixture, await foundNetwork(fixture.hub));
  await report(fixture, 'bob');
  expect(await warningOf(report(outsider, 'bob'))).toBeUndefined();
  expect(await rowsOf(fixture, 'SELECT count(*) AS count FROM sessions')).toEqual([{ count: 2 }]);
});

test('fifty concurrent first reports of one alias create one session', async () => {
  const fixture = await openFixture();
  await Promise.all(Array.from({ length: 50 }, (_, index) => report(fixture, 'bob', { resume_id: `r${index}` })));
  expect(await sessions(fixture)).toEqual([{ resume_id: 'r49', alias: 'bob' }]);
});

test('a rename in several commits counts the bytes of the report once', async () => {
  const fixture = await openFixture({ max_network_bytes: 10_000_000 });
  const bytesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = fixture.hub.networkBytes.of(fixture.caller.network_id);
    await work();
    return fixture.hub.networkBytes.of(fixture.caller.network_id) - before;
  };
  const rename = (alias: string) => report(fixture, alias, { resume_id: 'r', task: 'x'.repeat(1_000) });
  await rename('bob');
  const withoutTasks = await bytesOf(() => rename('rob'));
  for (let number = 0; number < 160; number++) await send(fixture, { alias: 'rob', task: `task ${number}` });
  expect(await bytesOf(() => rename('bob'))).toBe(withoutTasks);
  expect(withoutTasks).toBe(1_000);
});

describe('renames of several commits that are asked for at the same time', () => {
  const TASKS = 120;

  async function openWithTasks(...aliases: string[]): Promise<Fixture> {
    const fixture = await openFixture();
    for (const alias of aliases) {
      await report(fixture, alias, { resume_id: `run-${alias}` });
      for (let number = 0; number < TASKS; number++) await send(fixture, { alias, task: `task ${number}` });
    }
    return fixture;
  }
  const assigned = (fixture: Fixture) =>
    rowsOf(fixture, 'SELECT to_name, count(*) AS tasks FROM tasks GROUP BY 1 ORDER BY 1');

  test('by one session: each gets a response, and the last one counts', { timeout: 20_000 }, async () => {
    const fixture = await openWithTasks('bob');
    const aliases = Array.from({ length: 12 }, (_, number) => `bob-${number}`);
    const responses = await Promise.all(aliases.map((alias) => report(fixture, alias, { resume_id: 'run-bob' })));
    expect(responses.map(({ inbox_count }) => inbox_count)).toEqual(aliases.map(() => TASKS));
    expect(await assigned(fixture)).toEqual([{ to_name: 'bob-11', tasks: TASKS }]);
  });

  test('by two sessions that swap their names: both get a response, and nothing is lost', {
    timeout: 20_000,
  }, async () => {
    const fixture = await openWithTasks('bob', 'rob');
    const swap = [report(fixture, 'rob', { resume_id: 'run-bob' }), report(fixture, 'bob', { resume_id: 'run-rob' })];
    expect((await Promise.all(swap)).map(({ ok }) => ok)).toEqual([true, true]);
    expect((await assigned(fixture)).reduce((sum, { tasks }) => sum + Number(tasks), 0)).toBe(2 * TASKS);
  });

  test('those whose client leaves before their turn are dropped', async () => {
    const fixture = await openWithTasks('bob');
    const rename = (alias: string, hasLeft: () => boolean) =>
      perform(
        reportStatus,
        fixture.hub,
        fixture.caller,
        { resume_id: 'run-bob', alias, status: 'idle' },
        { recipient: { hasLeft } },
      );
    const [first, second] = [rename('ann', () => false), rename('eve', () => true)];
    await expect(second).rejects.toMatchObject({ code: 'client_left' });
    expect(await first).toMatchObject({ alias: 'ann', inbox_count: TASKS });
    expect(await assigned(fixture)).toEqual([{ to_name: 'ann', tasks: TASKS }]);
  });

  test('a hub that stops refuses them, and finishes after the restart what had begun', async () => {
    const fixture = await openWithTasks('bob');
    const { write } = fixture.hub.store;
    let commits = 0;
    fixture.hub.store.write = async (work, scope) => {
      const written = await write(work, scope);
      // The first two only find out that the reports are renames.
      if (++commits === 3) fixture.hub.life.isStopping = true;
      return written;
    };
    const renames = ['ann', 'eve'].map((alias) => report(fixture, alias, { resume_id: 'run-bob' }));
    for (const rename of renames) await expect(rename).rejects.toMatchObject({ code: 'unavailable' });
    const after = await restarted(fixture);
    expect(await finishPortions(after.hub)).toEqual({ broadcasts: 0, renames: 1 });
    expect(await assigned(after)).toEqual([{ to_name: 'ann', tasks: TASKS }]);
  });
});

describe('an interrupted rename', () => {
  const TASKS = 160;

  async function cutShort(portions: number): Promise<Fixture> {
    const fixture = await openFixture();
    await report(fixture, 'bob', { resume_id: 'r' });
    for (let number = 0; number < TASKS; number++) await send(fixture, { alias: 'bob', task: `task ${number}` });
    let commits = 0;
    const { write } = fixture.hub.store;
    fixture.hub.store.write = async (work, scope) => {
      // The first one only finds out that the report is a rename.
      if (commits++ > portions) throw new Error('the hub is gone');
      return write(work, scope);
    };
    await expect(report(fixture, 'rob', { resume_id: 'r' })).rejects.toThrow('the hub is gone');
    return restarted(fixture);
  }

  const assigned = (fixture: Fixture) =>
    rowsOf(fixture, 'SELECT to_name, count(*) AS tasks FROM tasks GROUP BY 1 ORDER BY 1');
  const moving = (fixture: Fixture) => rowsOf(fixture, 'SELECT alias, moving_to FROM sessions');

  test.each(['tom', 'bob'])('is finished before the agent becomes %s, and all its tasks move', async (alias) => {
    const fixture = await cutShort(2);
    await report(fixture, alias, { resume_id: 'r' });
    expect([await assigned(fixture), await moving(fixture)]).toEqual([
      [{ to_name: alias, tasks: TASKS }],
      [{ alias, moving_to: null }],
    ]);
    expect((await fixture.ask(getInbox, { alias, limit: 100 })).messages).toHaveLength(100);
  });

  test.each([1, 2, 3])('after %i commits is finished by the hub', async (portions) => {
    const fixture = await cutShort(portions);
    expect(await moving(fixture)).toEqual([{ alias: 'bob', moving_to: 'rob' }]);
    expect(await finishPortions(fixture.hub)).toEqual({ broadcasts: 0, renames: 1 });
    expect([await assigned(fixture), await moving(fixture)]).toEqual([
      [{ to_name: 'rob', tasks: TASKS }],
      [{ alias: 'rob', moving_to: null }],
    ]);
    expect(await inbox(fixture, 'rob')).toHaveLength(10);
    expect(await finishPortions(fixture.hub)).toEqual({ broadcasts: 0, renames: 0 });
  });

  test('is also finished by the same report', async () => {
    const fixture = await cutShort(2);
    expect(await report(fixture, 'rob', { resume_id: 'r' })).toMatchObject({ ok: true, inbox_count: TASKS });
    expect([await assigned(fixture), await moving(fixture)]).toEqual([
      [{ to_name: 'rob', tasks: TASKS }],
      [{ alias: 'rob', moving_to: null }],
    ]);
  });

  test('and is reversed by a report under the old alias without losing anything', async () => {
    const fixture = await cutShort(2);
    await report(fixture, 'bob', { resume_id: 'r' });
    await finishPortions(fixture.hub);
    expect(await report(fixture, 'bob', { resume_id: 'r' })).toMatchObject({ ok: true, inbox_count: TASKS });
    expect([await assigned(fixture), await moving(fixture)]).toEqual([
      [{ to_name: 'bob', tasks: TASKS }],
      [{ alias: 'bob', moving_to: null }],
    ]);
  });

  test('is finished once when a report and a sweep run concurrently', async () => {
    const fixture = await cutShort(1);
    await Promise.all([
      report(fixture, 'rob', { resume_id: 'r' }),
      finishPortions(fixture.hub),
      finishPortions(fixture.hub),
    ]);
    expect([await assigned(fixture), await moving(fixture)]).toEqual([
      [{ to_name: 'rob', tasks: TASKS }],
      [{ alias: 'rob', moving_to: null }],
    ]);
  });
});
