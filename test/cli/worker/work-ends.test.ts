// Tasks that are withdrawn, and workers that exit on their own, on signals or through a takeover: no process remains,
// and no task is lost.
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { outputOf, run } from '../../support/process/command-line.ts';
import { storyOnce } from '../../support/process/running-hub.ts';
import {
  gate,
  isAlive,
  pidsAt,
  send,
  sessionOf,
  settled,
  startFixture,
  startWorker,
  taskOf,
} from './worker-fixture.ts';

storyOnce('a task that is withdrawn', (target) => {
  const IGNORES_SIGTERM = 'trap "" TERM; sleep 1000 & echo $! > pids; echo $$ >> pids; wait; wait';

  test('cancel stops the whole process group, even if it ignores SIGTERM', async () => {
    const fixture = await startFixture(target);
    const worker = await startWorker(fixture.cli, IGNORES_SIGTERM);
    const taskId = await send(fixture, 'x');
    await expect.poll(() => pidsAt(fixture.cli)).toHaveLength(2);
    const pids = pidsAt(fixture.cli);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await outputOf(fixture.cli, ['cancel', taskId, '--reason', 'enough']);
    await worker.printed('was withdrawn');
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
    expect(await taskOf(fixture, taskId)).toMatchObject({ status: 'cancelled', result: 'enough' });
    expect(await fixture.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
    await expect.poll(() => sessionOf(fixture)).toMatchObject({ status: 'idle' });
  });

  test('after a reassignment, the first agent does not reply', async () => {
    const fixture = await startFixture(target);
    const worker = await startWorker(fixture.cli, IGNORES_SIGTERM);
    const taskId = await send(fixture, 'x');
    await expect.poll(() => pidsAt(fixture.cli)).toHaveLength(2);
    await outputOf(fixture.cli, ['reassign', taskId, 'lifter']);
    await worker.printed('was withdrawn');
    expect(await taskOf(fixture, taskId)).toMatchObject({ status: 'delivered', to_name: 'lifter', attempt: 2 });
  });

  test('after a cancel and a retry that its worker missed, only the second result counts', async () => {
    const fixture = await startFixture(target);
    const { path, open } = gate(fixture.cli);
    const worker = await startWorker(fixture.cli, `echo $$ > pids; cat ${path}; echo "$AGENTHUB_TASK_ATTEMPT"`);
    const taskId = await send(fixture, 'x');
    await expect.poll(() => pidsAt(fixture.cli)).toHaveLength(1);
    worker.signal('SIGSTOP');
    await outputOf(fixture.cli, ['cancel', taskId]);
    await outputOf(fixture.cli, ['retry', taskId]);
    await open();
    worker.signal('SIGCONT');
    await worker.printed('was withdrawn');
    await open();
    await settled(fixture, taskId, { status: 'replied', result: 'go\n2', attempt: 2 });
  });

  test('background processes of a command are stopped with it', async () => {
    const fixture = await startFixture(target);
    await startWorker(fixture.cli, 'sleep 1000 & echo $! > pids; echo $$ >> pids; echo done');
    await settled(fixture, await send(fixture, 'x'), { status: 'replied', result: 'done' });
    await expect.poll(() => pidsAt(fixture.cli).map(isAlive)).toEqual([false, false]);
  });

  test('a revoked token stops the worker and its command, with code 4', async () => {
    const fixture = await startFixture(target);
    const worker = await startWorker(fixture.cli, IGNORES_SIGTERM);
    await send(fixture, 'x');
    await expect.poll(() => pidsAt(fixture.cli)).toHaveLength(2);
    const user = restClient(fixture.hub.url, fixture.cli.account.userToken);
    const tokens = listOf((await user.get('/api/tokens')).body, 'tokens');
    const id = textOf(tokens.find(({ kind }) => kind === 'network') ?? {}, 'token_id');
    await fetch(`${fixture.hub.url}/api/tokens/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${fixture.cli.account.userToken}` },
    });
    expect(await worker.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('run agenthub login') });
    await expect.poll(() => pidsAt(fixture.cli).map(isAlive)).toEqual([false, false]);
  });
});

storyOnce('a worker that stops', (target) => {
  test('finishes the running task and takes no more after the first SIGTERM', async () => {
    const fixture = await startFixture(target);
    const { path, open } = gate(fixture.cli);
    const worker = await startWorker(fixture.cli, `cat ${path}`);
    const [first, second] = [await send(fixture, 'one'), await send(fixture, 'two')];
    await expect.poll(() => taskOf(fixture, first)).toMatchObject({ status: 'running' });
    worker.signal('SIGTERM');
    await open();
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await taskOf(fixture, first)).toMatchObject({ status: 'replied', result: 'go' });
    expect(await taskOf(fixture, second)).toMatchObject({ status: 'delivered', attempt: 1 });
    expect(await sessionOf(fixture)).toMatchObject({ status: 'offline', task: null });
  });

  test('returns the task for the next worker after the second signal', async () => {
    const fixture = await startFixture(target);
    const { path, open } = gate(fixture.cli);
    const first = await startWorker(fixture.cli, `cat ${path}`);
    const taskId = await send(fixture, 'one');
    await expect.poll(() => taskOf(fixture, taskId)).toMatchObject({ status: 'running' });
    first.signal('SIGTERM');
    first.signal('SIGINT');
    expect(await first.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('was returned') });
    expect(await taskOf(fixture, taskId)).toMatchObject({ status: 'delivered', attempt: 2, to_name: 'builder' });
    await startWorker(fixture.cli, `cat ${path}`);
    await expect.poll(() => taskOf(fixture, taskId)).toMatchObject({ status: 'running' });
    await open();
    await settled(fixture, taskId, { status: 'replied', result: 'go' });
  });

  test('leaves its task to the next worker of the alias if it is killed', async () => {
    const fixture = await startFixture(target);
    const first = await startWorker(fixture.cli, 'echo $$ > pids; exec sleep 1000');
    const taskId = await send(fixture, 'one');
    await expect.poll(() => pidsAt(fixture.cli)).toHaveLength(1);
    first.signal('SIGKILL');
    await first.ended;
    process.kill(pidsAt(fixture.cli)[0] ?? 0);
    const second = await startWorker(fixture.cli, 'echo done');
    await second.printed('started again');
    await settled(fixture, taskId, { status: 'replied', result: 'done', attempt: 1 });
  });

  test('blocks a second worker for the same alias', async () => {
    const fixture = await startFixture(target);
    const first = await startWorker(fixture.cli, 'true');
    const work = ['work', '--alias', 'builder', '--', 'true'];
    expect(await run(fixture.cli, work)).toMatchObject({
      code: 1,
      stderr: `agenthub: a worker for builder is already running on this machine (process ${first.pid}); stop it, or pass --take-over\n`,
    });
    await fixture.agent.call('report_status', { resume_id: 'agent-1', alias: 'planner', status: 'idle' });
    expect(await run(fixture.cli, ['work', '--alias', 'planner', '--', 'true'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('planner is in use by agent-1'),
    });
    expect(await fixture.agent.call('get_session_status', { alias: 'planner' })).toMatchObject({
      session: { resume_id: 'agent-1' },
    });
  });

  test('exits with code 1 after a takeover, and the new worker runs the task again', async () => {
    const fixture = await startFixture(target);
    const first = await startWorker(fixture.cli, 'echo $$ > pids; while :; do echo tick; sleep 0.1; done');
    const taskId = await send(fixture, 'one');
    await expect.poll(() => pidsAt(fixture.cli)).toHaveLength(1);
    const { path, open } = gate(fixture.cli);
    const second = await startWorker(fixture.cli, `cat ${path}`, ['--take-over']);
    expect(await first.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('builder was taken over (alias was in use by resume_id'),
    });
    expect(pidsAt(fixture.cli).map(isAlive)).toEqual([false]);
    await open();
    await settled(fixture, taskId, { status: 'replied', result: 'go', attempt: 1 });
    second.signal('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });
});
