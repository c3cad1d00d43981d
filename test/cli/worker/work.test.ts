// A worker with a real command runs tasks and delivers results, even if the hub restarts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { run } from '../../support/process/command-line.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { gate, send, sessionOf, settled, startFixture, startWorker, taskOf } from './worker-fixture.ts';

storyOnce('a worker', (target) => {
  test('send → work → result, from one command line to another', async () => {
    const fixture = await startFixture(target);
    await startWorker(fixture.cli, 'wc -w');
    expect(await run(fixture.cli, ['send', '--wait', 'builder', 'how many words are these'])).toMatchObject({
      code: 0,
      stdout: '5\n',
    });
    expect(await sessionOf(fixture)).toMatchObject({ status: 'idle', agent: 'worker', output: '5\n', task: null });
    expect(await fixture.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
  });

  test('the command receives the task on its input and in its environment, and its output is reported while it runs', async () => {
    const fixture = await startFixture(target);
    const { path, open } = gate(fixture.cli);
    await startWorker(
      fixture.cli,
      `echo "$AGENTHUB_TASK_ID $AGENTHUB_TASK_FROM $AGENTHUB_TASK_PRIORITY $AGENTHUB_TASK_CONTEXT $AGENTHUB_TASK_ATTEMPT"; echo agenthub:progress 40; cat; echo; echo aside >&2; cat ${path} > /dev/null`,
    );
    const taskId = await send(fixture, 'the task', { priority: 'high', context: 'some context' });
    await expect
      .poll(() => sessionOf(fixture))
      .toMatchObject({ status: 'working', progress: 40, task: `the task (${taskId})` });
    const printed = `${taskId} alice high some context 1\nthe task`;
    await expect.poll(async () => textOf(await sessionOf(fixture), 'output')).toContain('aside');
    expect(textOf(await sessionOf(fixture), 'output')).toContain(printed);
    expect(await taskOf(fixture, taskId)).toMatchObject({ status: 'running' });
    await open();
    await settled(fixture, taskId, { status: 'replied', result: printed });
    await expect.poll(() => sessionOf(fixture)).toMatchObject({ status: 'idle', task: null, progress: 0 });
  });

  test('the command gets no secret of this program from the environment, and the token only with --pass-token', async () => {
    const fixture = await startFixture(target);
    const { cli } = fixture;
    const secrets = {
      AGENTHUB_TOKEN_FILE: '/nowhere',
      AGENTHUB_ADMIN_PASSWORD: 'hidden 1',
      AGENTHUB_ADMIN_PASSWORD_FILE: '/hidden',
      AGENTHUB_METRICS_TOKEN: 'hidden 2',
      HUB_TOKEN: cli.account.networkToken,
      HUB_HEADER: `Bearer ${cli.account.networkToken}`,
    };
    const seenWith = async (...options: string[]): Promise<string> => {
      await send(fixture, `what is there with ${options.join(' ') || 'no option'}`);
      await run(
        cli,
        [
          'work',
          '--alias',
          'builder',
          '--take-over',
          '--once',
          ...options,
          '--',
          'sh',
          '-c',
          `env | grep -E '^(AGENTHUB|HUB)_' | grep -v ^AGENTHUB_TASK | sort`,
        ],
        { env: secrets },
      );
      const { body } = await restClient(fixture.hub.url, cli.account.networkToken).get(
        '/api/tasks?status=replied&limit=1',
      );
      return textOf(listOf(body, 'tasks')[0] ?? {}, 'result');
    };
    const url = `AGENTHUB_URL=${fixture.hub.url}`;
    expect(await seenWith()).toBe(url);
    expect(await seenWith('--pass-token')).toBe(
      `AGENTHUB_TOKEN=${cli.account.networkToken}\nAGENTHUB_TOKEN_FILE=/nowhere\n${url}\nHUB_HEADER=Bearer ${cli.account.networkToken}\nHUB_TOKEN=${cli.account.networkToken}`,
    );
  });

  test('a command that fails fails the task with its exit code and the end of standard error', async () => {
    const fixture = await startFixture(target);
    await startWorker(fixture.cli, 'echo partial; echo "no such branch" >&2; exit 3');
    expect(await run(fixture.cli, ['send', '--wait', 'builder', 'x'])).toMatchObject({
      code: 5,
      stdout: 'the command exited with code 3\nno such branch\n',
      stderr: expect.stringContaining('failed'),
    });
  });

  test('a long result loses its beginning, an empty one is marked, and invalid characters are replaced', async () => {
    const fixture = await startFixture(target);
    await startWorker(
      fixture.cli,
      'read -r kind; case $kind in long) yes 🐑 | head -n 20000; echo end;; odd) printf "a\\000b\\377c";; esac',
    );
    const long = await send(fixture, 'long');
    await settled(fixture, long, { status: 'replied', result: expect.stringMatching(/🐑\nend$/) });
    // 10,000 without the last line break.
    expect(Array.from(textOf(await taskOf(fixture, long), 'result')).length).toBe(9_999);
    const empty = await send(fixture, 'empty');
    await settled(fixture, empty, { status: 'replied', result: '(no output)' });
    const odd = await send(fixture, 'odd');
    await settled(fixture, odd, { status: 'replied', result: 'a\ufffdb\ufffdc' });
  });

  test('tasks run one at a time, most urgent first; messages are printed and acknowledged', async () => {
    const fixture = await startFixture(target);
    const log = join(fixture.cli.home, 'log');
    for (const priority of ['low', 'normal', 'high']) await send(fixture, priority, { priority });
    await fixture.agent.call('send_message', { alias: 'builder', message: 'tea?', from_session: 'alice' });
    const worker = await startWorker(fixture.cli, `cat >> ${log}; echo >> ${log}`);
    await worker.printed(': replied', 3);
    expect(readFileSync(log, 'utf8')).toBe('high\nnormal\nlow\n');
    expect(worker.stderr()).toContain('message from alice: tea?');
    expect(await fixture.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
  });

  test('thirty tasks may have the same result', async () => {
    const fixture = await startFixture(target);
    for (let number = 0; number < 30; number++) await send(fixture, `task ${number}`);
    const worker = await startWorker(fixture.cli, 'echo ok');
    await worker.printed(': replied', 30);
    const { body } = await restClient(fixture.hub.url, fixture.cli.account.networkToken).get(
      '/api/tasks?status=replied',
    );
    expect(listOf(body, 'tasks')).toHaveLength(30);
    expect(listOf(body, 'tasks').every(({ result }) => /^ok(\n\(task_\w+\))?$/.test(String(result)))).toBe(true);
  });

  test('--once exits after one task with its outcome', async () => {
    const fixture = await startFixture(target);
    const first = await startWorker(fixture.cli, 'exit 1', ['--once']);
    const failed = await send(fixture, 'x');
    expect(await first.ended).toMatchObject({ code: 5 });
    await settled(fixture, failed, { status: 'failed' });
    const second = await startWorker(fixture.cli, 'true', ['--once']);
    await send(fixture, 'y');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await sessionOf(fixture)).toMatchObject({ status: 'offline' });
  });
});

storyOnce('a worker and a hub that is killed', (target) => {
  test('the result is delivered once if the hub is down when the command ends', async () => {
    const fixture = await startFixture(target);
    const { path, open } = gate(fixture.cli);
    const worker = await startWorker(fixture.cli, `cat ${path}; echo done`);
    const taskId = await send(fixture, 'x');
    await expect.poll(() => taskOf(fixture, taskId)).toMatchObject({ status: 'running' });
    await fixture.hub.kill('SIGKILL');
    await open();
    await worker.printed('; retrying');
    const again = await startHub({ target, data: fixture.hub.data, args: ['--port', new URL(fixture.hub.url).port] });
    await settled(fixture, taskId, { status: 'replied', result: 'go\ndone', attempt: 1 });
    const { messages } = await fixture.agent.call('get_inbox', { alias: 'alice' });
    expect(messages).toMatchObject([{ type: 'reply', content: 'go\ndone', in_reply_to: taskId }]);

    // The worker continues on a new stream.
    const next = await send(fixture, 'y');
    await expect.poll(() => taskOf(fixture, next)).toMatchObject({ status: 'running' });
    await open();
    await settled(fixture, next, { status: 'replied' });
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await again.stop()).toBe(0);
  });

  test('the worker waits for a hub that is killed between tasks, and takes the next task', async () => {
    const fixture = await startFixture(target);
    const worker = await startWorker(fixture.cli, 'echo done');
    await settled(fixture, await send(fixture, 'one'), { status: 'replied' });
    await fixture.hub.kill('SIGKILL');
    await startHub({ target, data: fixture.hub.data, args: ['--port', new URL(fixture.hub.url).port] });
    await settled(fixture, await send(fixture, 'two'), { status: 'replied' });
    worker.signal('SIGINT');
    expect(await worker.ended).toMatchObject({ code: 0 });
  });
});
