// Managing tasks and messages from the command line: send, list, reply, cancel, retry and reassign.
import { expect, test } from 'vitest';
import { openEvents } from '../../support/http/event-reader.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { type Cli, cliFor, outputOf, run } from '../../support/process/command-line.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

async function jsonOutputOf(cli: Cli, args: readonly string[], given: { input?: string } = {}): Promise<JsonObject> {
  return objectIn(await outputOf(cli, [...args, '-o', 'json'], given));
}

storyOnce('tasks and messages from the command line', (target) => {
  test('a task is sent, listed, replied to, and shown with its history', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    await mcpClient(hub.url, cli.account.networkToken).call('report_status', {
      resume_id: 'b-1',
      alias: '小明',
      status: 'idle',
      hostname: 'vm-1',
    });

    const sent = await run(
      cli,
      ['send', '小明', '-', '--from', 'ada', '--priority', 'high', '--context', 'all of it', '--ttl', '600'],
      { input: 'count the 🐑\nplease\n' },
    );
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    const [taskId = ''] = /task_\w+/.exec(sent.stdout) ?? [];
    expect(sent.stdout).toBe(`${taskId} sent to 小明 (idle)\n`);

    expect(
      listOf(await jsonOutputOf(cli, ['tasks', '--to', '小明', '--priority', 'high', '--text', 'please']), 'tasks'),
    ).toMatchObject([
      { task_id: taskId, content: 'count the 🐑\nplease', context: 'all of it', from_name: 'ada', status: 'delivered' },
    ]);
    const [headings = '', row = ''] = (await outputOf(cli, ['tasks'])).split('\n');
    expect(row.indexOf('high')).toBe(headings.indexOf('PRIORITY'));
    expect(row).toMatch(/小明 +\d+ s +count the 🐑 please$/);
    expect(await outputOf(cli, ['status'])).toMatch(/^小明 +idle +\d+ s ago +1 +- +vm-1 +-$/m);
    expect(await outputOf(cli, ['inbox', '--alias', '小明'])).toMatch(new RegExp(`^${taskId} +task +high +ada`, 'm'));
    expect(await outputOf(cli, ['inbox', '--alias', '小明', '--ack', taskId])).toBe(`acknowledged ${taskId}\n`);
    expect(await outputOf(cli, ['inbox', '--alias', '小明'])).toBe('no messages for 小明\n');

    expect(await outputOf(cli, ['reply', taskId, 'forty-two', '--from', '小明'])).toBe(
      `${taskId} is settled: replied\n`,
    );
    const shown = await outputOf(cli, ['task', taskId]);
    expect(shown).toMatch(/^status +replied$/m);
    expect(shown).toMatch(/^why +replied: settled/m);
    expect(shown).toContain('content\n  count the 🐑\n  please\n');
    expect(shown).toContain('result\n  forty-two\n');
    expect(shown.match(/ (delivered|running|replied) +(ada|小明) /g)).toHaveLength(3);
    expect(await jsonOutputOf(cli, ['task', taskId])).toMatchObject({
      task: { result: 'forty-two' },
      why: expect.any(String),
      events: [{}, {}, {}],
    });
    expect(await outputOf(cli, ['status', '小明'])).toMatch(/^alias +小明$/m);
  });

  test('cancel, retry and reassign; a refusal states the reason and exits with 1', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const taskId = textOf(await jsonOutputOf(cli, ['send', 'builder', 'lift it', '--from', 'ada']), 'task_id');
    expect(await outputOf(cli, ['cancel', taskId, '--reason', 'too heavy'])).toBe(`${taskId} is cancelled\n`);
    expect(await run(cli, ['cancel', taskId])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'agenthub: task is terminal: the task is settled (cancelled) and cannot be changed\n',
    });
    expect(await outputOf(cli, ['retry', taskId])).toBe(`${taskId} is delivered to builder again\n`);
    expect(await run(cli, ['retry', taskId])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('task status is delivered, not retryable'),
    });
    expect(await outputOf(cli, ['reassign', taskId, 'lifter'])).toBe(`${taskId} moved from builder to lifter\n`);
    expect(await run(cli, ['task', 'task_nowhere/..'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('task not found'),
    });
    expect(objectOf(await jsonOutputOf(cli, ['task', taskId]), 'task')).toMatchObject({
      to_name: 'lifter',
      attempt: 3,
      status: 'delivered',
    });
    await outputOf(cli, ['cancel', taskId]);
    expect(await outputOf(cli, ['retry', taskId, '--to', 'builder'])).toBe(`${taskId} is delivered to builder again\n`);
    expect(await outputOf(cli, ['reply', taskId, '--status', 'failed', 'no', '--from', 'builder'])).toBe(
      `${taskId} is settled: failed\n`,
    );
  });

  test('messages and broadcasts; an idempotency key deduplicates a repeated send', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const agent = mcpClient(hub.url, cli.account.networkToken);
    await agent.call('report_status', { resume_id: 'b-1', alias: 'builder', status: 'working' });
    expect(await outputOf(cli, ['message', 'builder', 'tea?', '--from', 'ada'])).toMatch(
      /^msg_\w+ sent to builder \(working\)\n$/,
    );
    expect(await outputOf(cli, ['broadcast', 'stand up'])).toBe('delivered to 1 online agent\n');
    expect(listOf(await jsonOutputOf(cli, ['inbox', '--alias', 'builder']), 'messages')).toMatchObject([
      { type: 'message', content: 'tea?' },
      { type: 'broadcast' },
    ]);

    const once = ['send', 'nobody', 'x', '--idempotency-key', 'k-1'];
    const first = await run(cli, once);
    expect(first.stderr).toContain(
      'no agent has ever reported as nobody; the message waits in its inbox; check the spelling with `agenthub status`\n',
    );
    expect((await run(cli, once)).stdout).toBe(first.stdout);
    expect(await run(cli, ['send', 'nobody', 'y', '--idempotency-key', 'k-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('idempotency_conflict'),
    });
  });

  test('each page has the cursor of the next one, except the last', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    for (const text of ['one', 'two', 'three']) await outputOf(cli, ['send', 'builder', text]);
    const page = await run(cli, ['tasks', '--limit', '2']);
    expect(page.stdout).toMatch(/three\n.*two\n\ntotal: 3 delivered\n$/s);
    const [, cursor = ''] = /repeat with --cursor (\S+)\n$/.exec(page.stderr) ?? [];
    expect(await run(cli, ['tasks', '--limit', '2', '--cursor', cursor])).toMatchObject({
      stdout: expect.stringContaining('one'),
      stderr: '',
    });
    expect(await run(cli, ['tasks', '--cursor', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cursor must be'),
    });
  });

  test('send --wait prints the result and exits with the outcome of the task', async () => {
    const { hub, ...account } = await hubOfAda({ target, args: ['--sweep-seconds', '1'] });
    const cli = cliFor(hub, target, account);
    const agent = mcpClient(hub.url, cli.account.networkToken);
    await agent.call('report_status', { resume_id: 'b-1', alias: 'builder', status: 'idle' });
    const builderEvents = await openEvents(`${hub.url}/events/builder`, cli.account.networkToken);
    const settle = async (status: string): Promise<void> => {
      const { data } = await builderEvents.next('new_task');
      await agent.call('send_reply', {
        alias: 'hub',
        text: `it was ${status}`,
        in_reply_to: textOf(data, 'task_id'),
        status,
        from_session: 'builder',
      });
    };
    const replied = run(cli, ['send', '--wait', 'builder', 'do it']);
    await settle('replied');
    expect(await replied).toMatchObject({ code: 0, stdout: 'it was replied\n' });
    const failed = run(cli, ['send', 'builder', 'do it', '--wait=60']);
    await settle('failed');
    expect(await failed).toMatchObject({
      code: 5,
      stdout: 'it was failed\n',
      stderr: expect.stringMatching(/waiting\nagenthub: task_\w+ failed; see standard output for the reason\n$/),
    });
    expect(await run(cli, ['send', 'builder', 'do it', '--wait=1'])).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining('is not settled after 1 s'),
    });
    expect(await run(cli, ['send', 'nobody', 'do it', '--wait', '--ttl', '1'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('nobody did not start it in time'),
    });
  });

  test('text from agents cannot control the terminal', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    await outputOf(cli, ['send', 'builder', 'red \x1b[31malert\x1b]0;title\x07 \x9b2J\u202eend\r\nnext']);
    const list = await outputOf(cli, ['tasks']);
    expect(list).toContain('red alert');
    expect(list.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\u202e]*$/u);
  });
});
