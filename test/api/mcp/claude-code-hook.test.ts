// POST /hooks/claude-code: how Claude Code hook events update a session, and how their responses report mail: once, in
// one short line, from memory, with every write deferred.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookAnswer, mayMention } from '../../../server/domain/claude-code-hook.ts';
import { timestamp } from '../../../server/domain/time/time.ts';
import { openBroker } from '../../../server/events/broker.ts';
import { openHookStates } from '../../../server/events/hook-states.ts';
import { claudeCodeHook } from '../../../server/operations/agents/claude-code-hook.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { getSessionStatus } from '../../../server/operations/sessions/get-session-status.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { type Fixture, outcomeOf, report, restarted, send } from '../../support/fixture.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';

/** The relevant fields of a Claude Code event, and others to ignore. */
const event = (name: string, rest: object = {}) => ({
  session_id: 'c-1',
  transcript_path: '/tmp/t.jsonl',
  cwd: '/src',
  permission_mode: 'default',
  hook_event_name: name,
  ...rest,
});

async function hook({ url, networkToken }: ServedHub, name: string, rest: object = {}) {
  const { status, body } = await restClient(url, networkToken).post('/hooks/claude-code?alias=bob', event(name, rest));
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const line = (name: string, additionalContext: unknown) => ({
  hookSpecificOutput: { hookEventName: name, additionalContext },
});

/** The session after all pending writes. */
async function session(fixture: Fixture, alias = 'bob') {
  await fixture.hub.store.write(async () => {});
  return (await fixture.ask(getSessionStatus, { alias })).session;
}

test('an event that contains a whole file is accepted from an agent, and not read without a token', async () => {
  const hub = await serveHub();
  const tool_response = 'x'.repeat(5 * 1024 * 1024);
  expect(await hook(hub, 'PostToolUse', { tool_response })).toEqual({});
  expect(await session(hub)).toMatchObject({ status: 'working' });
  expect(
    await restClient(hub.url, 'ntok_forged').post(
      '/hooks/claude-code?alias=bob',
      event('PostToolUse', { tool_response }),
    ),
  ).toMatchObject({ status: 401 });
  const huge = await restClient(hub.url, hub.networkToken).post(
    '/hooks/claude-code?alias=bob',
    event('PostToolUse', { tool_response: tool_response.repeat(2) }),
  );
  expect(huge).toMatchObject({
    status: 413,
    body: { error: 'payload_too_large', message: 'a request body may have at most 8 MiB' },
  });
});

describe('the session', () => {
  test('makes progress with each event that is stored, even if it repeats the last one', async () => {
    const hub = await serveHub();
    await report(hub, 'bob', { resume_id: 'own', status: 'working' });
    for (const session_id of ['c-1', 'c-2']) {
      await hook(hub, 'PostToolUse', { session_id });
      hub.hub.clock.advance(60_000);
      await hook(hub, 'PostToolUse', { session_id });
      expect(await session(hub)).toMatchObject({ last_progress_at: timestamp(hub.hub.clock.now()) });
    }
  });

  test.each([
    ['UserPromptSubmit', 'working'],
    ['PostToolUse', 'working'],
    ['Stop', 'idle'],
    ['SessionEnd', 'offline'],
  ])('%s makes it %s', async (name, status) => {
    const hub = await serveHub();
    expect(await hook(hub, name, { model: 'opus' })).toEqual({});
    expect(await session(hub)).toMatchObject({
      alias: 'bob',
      resume_id: 'c-1',
      session_id: 'c-1',
      status,
      agent: 'claude-code',
      project_dir: '/src',
      model: 'opus',
    });
  });

  test('is not created by an event without session data', async () => {
    const hub = await serveHub();
    expect(await hook(hub, 'Notification')).toEqual({});
    expect(await outcomeOf(session(hub))).toBe('session not found');
  });

  test('that the agent reported itself keeps its resume_id and status', async () => {
    const hub = await serveHub();
    await report(hub, 'bob', { task: 'the parser', agent: 'builder' });
    await hook(hub, 'PostToolUse');
    await hook(hub, 'Stop');
    expect(await session(hub)).toMatchObject({
      resume_id: 'bob-1',
      session_id: 'c-1',
      task: 'the parser',
      agent: 'builder',
      status: 'idle',
    });
    expect(await report(hub, 'bob')).not.toHaveProperty('warning');
  });

  test('created by a hook is replaced by the next one under its alias, and the end of the first does not affect it', async () => {
    const hub = await serveHub();
    await hook(hub, 'Stop');
    await hook(hub, 'UserPromptSubmit', { session_id: 'c-2' });
    await hook(hub, 'SessionEnd');
    expect(await session(hub)).toMatchObject({ resume_id: 'c-2', status: 'working' });
  });

  test('stays alive with each event, though an unchanged session is written only every 15 seconds', async () => {
    const hub = await serveHub();
    let writes = 0;
    const { write } = hub.hub.store;
    hub.hub.store.write = (work) => {
      writes++;
      return write(work);
    };
    for (let minute = 0; minute < 20; minute++) {
      hub.hub.clock.advance(60_000);
      for (let second = 0; second < 10; second++) await hook(hub, 'PostToolUse');
    }
    expect(writes).toBeLessThanOrEqual(40);
    expect(await session(hub)).toMatchObject({ status: 'working' });
  });

  test('resumes work after a completion report', async () => {
    const hub = await serveHub();
    await hook(hub, 'PostToolUse');
    await hub.ask(reportCompletion, { alias: 'bob', task: 'a', result: 'b' });
    await hook(hub, 'UserPromptSubmit', { cwd: '/src/b' });
    expect(await session(hub)).toMatchObject({ status: 'working', project_dir: '/src/b' });
  });
});

describe('mail', () => {
  test.each(['UserPromptSubmit', 'PostToolUse', 'Stop'])('is reported once at %s', async (name) => {
    const hub = await serveHub();
    const task = await send(hub, { priority: 'high' });
    expect(await hook(hub, name)).toEqual(
      line(name, `agenthub: 1 new high-priority task for bob (${task} from alice). get_inbox has it.`),
    );
    expect(await hook(hub, name)).toEqual({});
    const { message_id } = await hub.ask(sendMessage, { alias: 'bob', message: 'lunch?', from_session: 'carol' });
    expect(await hook(hub, name)).toEqual(
      line(name, `agenthub: 1 new message for bob (${message_id} from carol). get_inbox has it.`),
    );
    expect(await hook(hub, name)).toEqual({});
  });

  test('of several messages is summarized in one line, most urgent first', async () => {
    const hub = await serveHub();
    const first = await send(hub);
    const second = await send(hub, { priority: 'high' });
    expect(await hook(hub, 'PostToolUse')).toEqual(
      line(
        'PostToolUse',
        `agenthub: 2 new for bob: high-priority task (${second} from alice), task (${first} from alice). get_inbox has them.`,
      ),
    );
  });

  test('of more than a hundred messages is counted once and not reported again', async () => {
    const hub = await serveHub();
    for (let count = 1; count <= 120; count++)
      await hub.ask(sendMessage, { alias: 'bob', message: `number ${count}`, from_session: 'carol' });
    expect(await hook(hub, 'PostToolUse')).toEqual(
      line('PostToolUse', expect.stringMatching(/^agenthub: 100\+ new for bob: /)),
    );
    const task = await send(hub, { priority: 'low' });
    expect(await hook(hub, 'PostToolUse')).toEqual(
      line('PostToolUse', `agenthub: 1 new low-priority task for bob (${task} from alice). get_inbox has it.`),
    );
  });

  test('does not keep a turn going twice, and is reported with the next prompt', async () => {
    const hub = await serveHub();
    await send(hub);
    expect(await hook(hub, 'Stop', { stop_hook_active: true })).toEqual({});
    expect(await hook(hub, 'SessionEnd')).toEqual({});
    expect(await hook(hub, 'UserPromptSubmit')).toHaveProperty('hookSpecificOutput');
  });

  test('that was fetched or cancelled is not new', async () => {
    const hub = await serveHub();
    await send(hub);
    await hub.ask(getInbox, { alias: 'bob' });
    expect(await hook(hub, 'PostToolUse')).toEqual({});
    const task_id = await send(hub, { task: 'another' });
    await hub.ask(cancelTask, { task_id });
    expect(await hook(hub, 'PostToolUse')).toEqual(
      line('PostToolUse', expect.stringMatching(/^agenthub: 1 new cancellation for bob /)),
    );
  });

  test('that has expired is not new, even before the expiry is written', async () => {
    const hub = await serveHub();
    await send(hub, { ttl_seconds: 1 });
    hub.hub.clock.advance(1_000);
    expect(await hook(hub, 'PostToolUse')).toEqual({});
  });

  test('for another agent is not reported', async () => {
    const hub = await serveHub();
    await hook(hub, 'Stop');
    await send(hub, { alias: 'carol' });
    expect(await hook(hub, 'Stop')).toEqual({});
  });

  test('that was not reported before a restart is reported after it', async () => {
    const hub = await serveHub();
    await send(hub);
    const again = await restarted(hub);
    const report = await again.ask(claudeCodeHook, { alias: 'bob', hook_event_name: 'Stop', session_id: 'c-1' });
    expect(report).toHaveProperty('hookSpecificOutput');
  });

  test('is reported to only one of two concurrent events', async () => {
    const hub = await serveHub();
    await send(hub);
    const responses = await Promise.all([hook(hub, 'PostToolUse'), hook(hub, 'PostToolUse')]);
    expect(responses.filter((response) => 'hookSpecificOutput' in response)).toHaveLength(1);
  });
});

describe('the response', () => {
  test('comes from memory when nothing is new, even if the disk is blocked', async () => {
    const hub = await serveHub();
    await hook(hub, 'UserPromptSubmit');
    hub.hub.store.write = () => new Promise(() => {});
    hub.hub.store.read = () => Promise.reject(new Error('nothing is to be read'));
    expect(await hook(hub, 'PostToolUse')).toEqual({});
    expect(await hook(hub, 'Stop')).toEqual({});
  });

  test('succeeds when its write fails, which is logged and retried by the next event', async () => {
    const hub = await serveHub();
    const logged: string[] = [];
    hub.hub.log.error = (_, message) => void logged.push(message);
    const { write } = hub.hub.store;
    hub.hub.store.write = () => Promise.reject(new Error('no space'));
    expect(await hook(hub, 'PostToolUse')).toEqual({});
    hub.hub.store.write = write;
    expect(logged).toEqual(['a hook event was not written']);
    expect(await hook(hub, 'PostToolUse')).toEqual({});
    expect(await session(hub)).toMatchObject({ status: 'working' });
  });

  test('reports the mail later when it cannot be read', async () => {
    const hub = await serveHub();
    await send(hub);
    const { read } = hub.hub.store;
    hub.hub.store.read = () => Promise.reject(new Error('not now'));
    const { status } = await restClient(hub.url, hub.networkToken).post('/hooks/claude-code?alias=bob', event('Stop'));
    hub.hub.store.read = read;
    expect(status).toBe(500);
    expect(await hook(hub, 'Stop')).toHaveProperty('hookSpecificOutput');
  });

  test('is one line under 1,000 characters, whatever the names', () => {
    const mail = fc.record({
      seq: fc.nat(),
      id: fc.constant(`msg_${'x'.repeat(22)}`),
      task_id: fc.option(fc.constant(`task_${'x'.repeat(22)}`)),
      type: fc.constantFrom('task', 'message', 'reply', 'broadcast', 'cancel'),
      priority: fc.constantFrom('high', 'normal', 'low'),
      from_session: fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    } as const);
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.array(mail, { minLength: 1, maxLength: 100 }),
        (alias, many) => {
          const text = hookAnswer('Stop', alias, many, many.length === 100).hookSpecificOutput?.additionalContext ?? '';
          expect(text.length).toBeLessThan(1_000);
          expect(text).toMatch(/^agenthub: [^\n\r\u2028]+\.$/);
        },
      ),
    );
  });
});

describe('bad input', () => {
  test.each<[string, string, object, string]>([
    ['no alias', '', event('Stop'), 'alias is required'],
    ['two aliases', '?alias=a&alias=b', event('Stop'), 'alias must be a string'],
    ['no session', '?alias=bob', { hook_event_name: 'Stop' }, 'session_id is required'],
    [
      'an invalid flag',
      '?alias=bob',
      event('Stop', { stop_hook_active: 'yes' }),
      'stop_hook_active must be true or false',
    ],
  ])('%s', async (_, query, body, message) => {
    const hub = await serveHub();
    const response = await restClient(hub.url, hub.networkToken).post(`/hooks/claude-code${query}`, body);
    expect([response.status, response.body]).toEqual([400, { error: 'invalid_request', message }]);
  });

  test('an event named like an Object.prototype member does nothing', () => {
    expect(mayMention('constructor', false)).toBe(false);
  });
});

test('beyond the agent limit, the least recently active agent is evicted and gets no more reports', () => {
  const broker = openBroker((error) => expect.unreachable(String(error)));
  let listening = 0;
  const counted = {
    ...broker,
    subscribe: () => {
      listening++;
      return () => void listening--;
    },
  };
  const notes = openHookStates(counted, 2);
  const [first] = ['a', 'b', 'a', 'c'].map((alias) => notes.of('n', alias));
  expect(listening).toBe(2);
  expect(notes.of('n', 'a')).toBe(first);
});
