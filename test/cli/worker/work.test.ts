// A worker with a real command: tasks go in, results come out, whatever happens to the hub.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { onePlay, startHub } from '../../support/process/running-hub.ts';
import { run } from '../command-line.ts';
import { gate, PATIENT, scene, send, sessionOf, settled, startWorker, taskOf } from './worker-scene.ts';

onePlay('a worker', (target) => {
  test('send → work → result, from one command line to another', async () => {
    const told = await scene(target);
    await startWorker(told.desk, 'wc -w');
    expect(await run(told.desk, ['send', '--wait', 'builder', 'how many words are these'])).toMatchObject({
      code: 0,
      stdout: '5\n',
    });
    expect(await sessionOf(told)).toMatchObject({ status: 'idle', agent: 'worker', output: '5\n', task: null });
    expect(await told.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
  });

  test('the command finds the task on its input and in its environment; what it prints shows while it runs', async () => {
    const told = await scene(target);
    const { path, open } = gate(told.desk);
    await startWorker(
      told.desk,
      `echo "$AGENTHUB_TASK_ID $AGENTHUB_TASK_FROM $AGENTHUB_TASK_PRIORITY $AGENTHUB_TASK_CONTEXT $AGENTHUB_TASK_ATTEMPT"; echo agenthub:progress 40; cat; echo; echo aside >&2; cat ${path} > /dev/null`,
    );
    const taskId = await send(told, 'the task', { priority: 'high', context: 'some context' });
    await expect
      .poll(() => sessionOf(told), PATIENT)
      .toMatchObject({ status: 'working', progress: 40, task: `the task (${taskId})` });
    const printed = `${taskId} alice high some context 1\nthe task`;
    await expect.poll(async () => textOf(await sessionOf(told), 'output'), PATIENT).toContain('aside');
    expect(textOf(await sessionOf(told), 'output')).toContain(printed);
    expect(await taskOf(told, taskId)).toMatchObject({ status: 'running' });
    await open();
    await settled(told, taskId, { status: 'replied', result: printed });
    await expect.poll(() => sessionOf(told), PATIENT).toMatchObject({ status: 'idle', task: null, progress: 0 });
  });

  test('the command gets no secret of this program from the environment, and the token only with --pass-token', async () => {
    const told = await scene(target);
    const { desk } = told;
    const secrets = {
      AGENTHUB_TOKEN_FILE: '/nowhere',
      AGENTHUB_ADMIN_PASSWORD: 'hidden 1',
      AGENTHUB_ADMIN_PASSWORD_FILE: '/hidden',
      AGENTHUB_METRICS_TOKEN: 'hidden 2',
      HUB_TOKEN: desk.account.networkToken,
      HUB_HEADER: `Bearer ${desk.account.networkToken}`,
    };
    const seenWith = async (...options: string[]): Promise<string> => {
      await send(told, `what is there with ${options.join(' ') || 'no option'}`);
      await run(
        desk,
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
      const { body } = await restClient(told.hub.url, desk.account.networkToken).get(
        '/api/tasks?status=replied&limit=1',
      );
      return textOf(listOf(body, 'tasks')[0] ?? {}, 'result');
    };
    const url = `AGENTHUB_URL=${told.hub.url}`;
    expect(await seenWith()).toBe(url);
    expect(await seenWith('--pass-token')).toBe(
      `AGENTHUB_TOKEN=${desk.account.networkToken}\nAGENTHUB_TOKEN_FILE=/nowhere\n${url}\nHUB_HEADER=Bearer ${desk.account.networkToken}\nHUB_TOKEN=${desk.account.networkToken}`,
    );
  });

  test('a command that fails fails the task with its code and its last words', async () => {
    const told = await scene(target);
    await startWorker(told.desk, 'echo partial; echo "no such branch" >&2; exit 3');
    expect(await run(told.desk, ['send', '--wait', 'builder', 'x'])).toMatchObject({
      code: 5,
      stdout: 'the command ended with exit code 3\nno such branch\n',
      stderr: expect.stringContaining('failed'),
    });
  });

  test('a long result is cut in front, an empty one says so, and neither breaks the hub', async () => {
    const told = await scene(target);
    await startWorker(
      told.desk,
      'read -r kind; case $kind in long) yes 🐑 | head -n 20000; echo end;; odd) printf "a\\000b\\377c";; esac',
    );
    const long = await send(told, 'long');
    await settled(told, long, { status: 'replied', result: expect.stringMatching(/🐑\nend$/) });
    expect(Array.from(textOf(await taskOf(told, long), 'result')).length).toBe(9_999); // 10,000 without the last line break
    const empty = await send(told, 'empty');
    await settled(told, empty, { status: 'replied', result: '(no output)' });
    const odd = await send(told, 'odd');
    await settled(told, odd, { status: 'replied', result: 'a\ufffdb\ufffdc' });
  });

  test('tasks run one by one, the urgent first; messages are told and acknowledged', async () => {
    const told = await scene(target);
    const log = join(told.desk.home, 'log');
    for (const priority of ['low', 'normal', 'high']) await send(told, priority, { priority });
    await told.agent.call('send_message', { alias: 'builder', message: 'tea?', from_session: 'alice' });
    const worker = await startWorker(told.desk, `cat >> ${log}; echo >> ${log}`);
    await worker.says(': replied', 3);
    expect(readFileSync(log, 'utf8')).toBe('high\nnormal\nlow\n');
    expect(worker.stderr()).toContain('message from alice: tea?');
    expect(await told.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
  });

  test('thirty tasks may have the same result', async () => {
    const told = await scene(target);
    for (let number = 0; number < 30; number++) await send(told, `task ${number}`);
    const worker = await startWorker(told.desk, 'echo ok');
    await worker.says(': replied', 30);
    const { body } = await restClient(told.hub.url, told.desk.account.networkToken).get('/api/tasks?status=replied');
    expect(listOf(body, 'tasks')).toHaveLength(30);
    expect(listOf(body, 'tasks').every(({ result }) => /^ok(\n\(task_\w+\))?$/.test(String(result)))).toBe(true);
  });

  test('--once ends after one task, as the task did', async () => {
    const told = await scene(target);
    const first = await startWorker(told.desk, 'exit 1', ['--once']);
    const failed = await send(told, 'x');
    expect(await first.ended).toMatchObject({ code: 5 });
    await settled(told, failed, { status: 'failed' });
    const second = await startWorker(told.desk, 'true', ['--once']);
    await send(told, 'y');
    expect(await second.ended).toMatchObject({ code: 0 });
    expect(await sessionOf(told)).toMatchObject({ status: 'offline' });
  });
});

onePlay('a worker and a hub that dies', (target) => {
  test('killed while the command runs and away when it ends: the result is there, once', async () => {
    const told = await scene(target);
    const { path, open } = gate(told.desk);
    const worker = await startWorker(told.desk, `cat ${path}; echo done`);
    const taskId = await send(told, 'x');
    await expect.poll(() => taskOf(told, taskId), PATIENT).toMatchObject({ status: 'running' });
    await told.hub.kill('SIGKILL');
    await open();
    await worker.says('trying until it answers');
    const again = await startHub({ target, data: told.hub.data, args: ['--port', new URL(told.hub.url).port] });
    await settled(told, taskId, { status: 'replied', result: 'go\ndone', attempt: 1 });
    const { messages } = await told.agent.call('get_inbox', { alias: 'alice' });
    expect(messages).toMatchObject([{ type: 'reply', content: 'go\ndone', in_reply_to: taskId }]);

    // It goes on as before, on the stream it opened anew.
    const next = await send(told, 'y');
    await expect.poll(() => taskOf(told, next), PATIENT).toMatchObject({ status: 'running' });
    await open();
    await settled(told, next, { status: 'replied' });
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await again.stop()).toBe(0);
  });

  test('killed between the tasks: the worker waits for it and takes the next', async () => {
    const told = await scene(target);
    const worker = await startWorker(told.desk, 'echo done');
    await settled(told, await send(told, 'one'), { status: 'replied' });
    await told.hub.kill('SIGKILL');
    await startHub({ target, data: told.hub.data, args: ['--port', new URL(told.hub.url).port] });
    await settled(told, await send(told, 'two'), { status: 'replied' });
    worker.signal('SIGINT');
    expect(await worker.ended).toMatchObject({ code: 0 });
  });
});
