// wait, as hooks use it, and watch, as people use it.
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { objectIn, textOf } from '../../support/json.ts';
import { cliFor, newCli, outputOf, run, start } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';

storyOnce('waiting for mail', (target) => {
  test('exits with 0 and one line when mail arrives, and with 6 on timeout', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    expect(await run(cli, ['wait', '--alias', 'builder', '--timeout', '0'])).toMatchObject({
      code: 6,
      stdout: '',
      stderr: 'agenthub: no mail for builder in 0 s\n',
    });
    const waiting = run(cli, ['wait', '--alias', 'builder', '--timeout', '60']);
    const agent = mcpClient(hub.url, cli.account.networkToken);
    const taskId = textOf(
      await agent.call('send_task', { alias: 'builder', task: 'x', priority: 'high', from_session: 'alice' }),
      'task_id',
    );
    expect(await waiting).toMatchObject({
      code: 0,
      stdout: `agenthub: high task for builder (${taskId} from alice); run agenthub inbox --alias builder to read it\n`,
      stderr: '',
    });
    await agent.call('send_message', { alias: 'builder', message: 'y', from_session: 'bob' });
    expect(await outputOf(cli, ['wait', '--alias', 'builder'])).toContain(`(${taskId} from alice) and 1 more;`);
    expect(objectIn(await outputOf(cli, ['wait', '--alias', 'builder', '-o', 'json']))).toMatchObject({
      messages: [{ id: taskId }, { type: 'message' }],
    });
  });
});

test('wait survives a hub that drops the connection, is unavailable and comes back', async () => {
  const inbox = (messages: object[]) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: JSON.stringify({ ok: true, messages }) }] },
    });
  const message = {
    id: 'msg_1',
    type: 'message',
    priority: 'normal',
    content: 'y',
    context: null,
    from_session: 'bob',
    created_at: '',
    network_id: 'net_1',
  };
  const acts: ((response: ServerResponse) => void)[] = [
    (response) => response.end(inbox([])),
    (response) => response.destroy(),
    (response) => response.writeHead(503).end('{"error":"unavailable","message":"not now"}'),
    (response) => response.end(inbox([message])),
  ];
  const server = createServer((_request, response) => acts.shift()?.(response));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const cli = newCli(ANY_TARGET, { AGENTHUB_URL: `http://127.0.0.1:${port}`, AGENTHUB_TOKEN: 'ntok_x' });
  expect(await run(cli, ['wait', '--alias', 'builder', '--timeout', '60'])).toMatchObject({
    code: 0,
    stdout: 'agenthub: message for builder (msg_1 from bob); run agenthub inbox --alias builder to read it\n',
    stderr: expect.stringMatching(/^agenthub: [^\n]*; retrying\n$/),
  });
});

storyOnce('watching the network', (target) => {
  test('prints one line per event, each once, across a restart of the hub', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const agent = mcpClient(hub.url, cli.account.networkToken);
    const watch = start(cli, ['watch']);
    const events = start(cli, ['watch', '-o', 'json']);
    let reports = 0;
    // Both are connected once they print a report made after they started.
    await expect
      .poll(async () => {
        await agent.call('report_status', {
          resume_id: 'b-1',
          alias: 'builder',
          status: 'idle',
          progress: reports++ % 100,
        });
        return [watch.stdout(), events.stdout()].every((printed) => printed !== '');
      })
      .toBe(true);

    const taskId = textOf(
      await agent.call('send_task', { alias: 'builder', task: 'lift\nit', priority: 'high', from_session: 'alice' }),
      'task_id',
    );
    await agent.call('ack_inbox', { alias: 'builder', message_id: taskId });
    await agent.call('report_status', {
      resume_id: 'b-1',
      alias: 'builder',
      status: 'working',
      task: 'lifting',
      progress: 40,
    });
    await agent.call('report_status', {
      resume_id: 'b-1',
      alias: 'builder',
      status: 'working',
      task: 'lifting',
      progress: 40,
    });
    await agent.call('send_reply', {
      alias: 'alice',
      text: 'lifted \x1b[2J',
      in_reply_to: taskId,
      from_session: 'builder',
    });
    await agent.call('report_status', { resume_id: 'c-1', alias: 'carol', status: 'idle' });
    await agent.call('broadcast', { content: 'stand up', from_session: 'alice' });
    await agent.call('send_message', { alias: 'carol', message: 'tea?', from_session: 'builder' });
    await expect.poll(watch.stdout).toContain('tea?');
    const lines = watch
      .stdout()
      .split('\n')
      .map((line) => line.slice(10))
      .filter((line) => !line.startsWith('builder is idle'));
    expect(lines).toEqual([
      `alice → builder  high task: lift it  ${taskId}`,
      `builder started  ${taskId}`,
      'builder is working: lifting (40%)',
      `builder → alice  replied: lifted  ${taskId}`,
      'carol is idle',
      'alice → all  broadcast: stand up',
      'builder → carol  message: tea?',
      '',
    ]);
    expect(watch.stdout()).toMatch(/^\d\d:\d\d:\d\d {2}builder is idle$/m);

    await hub.kill('SIGKILL');
    await startHub({ target, data: hub.data, args: ['--port', new URL(hub.url).port] });
    await agent.call('cancel_task', {
      task_id: textOf(await agent.call('send_task', { alias: 'dan', task: 'z', from_session: 'alice' }), 'task_id'),
      reason: 'never mind',
    });
    await expect.poll(watch.stdout).toContain('dan cancelled: never mind');
    expect(watch.stdout().match(/tea\?/g)).toHaveLength(1);

    watch.signal('SIGINT');
    expect(await watch.ended).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(events.stdout).toContain('"cancelled"');
    const types = events
      .stdout()
      .trim()
      .split('\n')
      .map((line) => objectIn(line).type);
    expect(types).toEqual(
      expect.arrayContaining(['session', 'task', 'new_task', 'new_message', 'new_reply', 'broadcast']),
    );
    expect(types).not.toContain('heartbeat');
  });
});
