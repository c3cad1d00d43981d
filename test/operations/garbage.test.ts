// What a call held is freed by minor garbage collections. If anything refers from one call to the next, every call
// survives until a major one: that took a quarter of the time of a send.
import { describe, expect, test } from 'vitest';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { reportStatus } from '../../server/operations/agents/report-status.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { listTasks } from '../../server/operations/tasks/list-tasks.ts';
import { sendTask } from '../../server/operations/tasks/send-task.ts';
import { type Fixture, openFixture } from '../support/fixture.ts';
import { survivingBytes } from '../support/garbage.ts';
import { ON_POSTGRES } from '../support/store/postgres.ts';

type Call = (fixture: Fixture, number: number) => Promise<object>;

/** Each with the bytes that may survive. The loop guard keeps the digest of a send for minutes. */
const CALLS: readonly [name: string, bytes: number, call: Call][] = [
  ['send_task', 2_000, ({ ask }, number) => ask(sendTask, { alias: 'bob', task: `task ${number}`, from_session: 'a' })],
  [
    'send_message',
    1_000,
    ({ ask }, number) => ask(sendMessage, { alias: 'bob', message: `text ${number}`, from_session: 'a' }),
  ],
  [
    'report_status',
    1_000,
    ({ ask }, number) => ask(reportStatus, { resume_id: 'b', alias: 'bob', status: 'working', task: `step ${number}` }),
  ],
  ['get_inbox', 1_000, ({ ask }) => ask(getInbox, { alias: 'carol' })],
  ['list_tasks', 1_000, ({ ask }) => ask(listTasks, {})],
];
const WARM_UP = 400;

// With PostgreSQL, the queries of its driver survive collections that a test asks for. Those in a hub free them.
describe.skipIf(ON_POSTGRES)('minor garbage collections free', () => {
  test.each(CALLS)('%s but for %d bytes', async (_, bytes, call) => {
    const fixture = await openFixture({ max_pending_messages: 0 });
    await survivingBytes(WARM_UP, (number) => call(fixture, number)); // compiles, and fills what is cached
    expect(await survivingBytes(600, (number) => call(fixture, WARM_UP + number))).toBeLessThan(bytes);
  });
});
