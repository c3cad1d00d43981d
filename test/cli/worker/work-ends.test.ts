// Tasks that are taken back, and workers that end, by themselves, by signals and by others: no process stays, no task
// is lost.
import { expect, test } from 'vitest';
import { restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { onePlay } from '../../support/process/running-hub.ts';
import { run, say } from '../command-line.ts';
import {
  gate,
  isAlive,
  PATIENT,
  pidsAt,
  scene,
  send,
  sessionOf,
  settled,
  startWorker,
  taskOf,
} from './worker-scene.ts';

onePlay('a task that is taken back', (target) => {
  const STUBBORN = 'trap "" TERM; sleep 1000 & echo $! > pids; echo $$ >> pids; wait; wait';

  test('cancel ends the whole process group, even one that will not listen', async () => {
    const told = await scene(target);
    const worker = await startWorker(told.desk, STUBBORN);
    const taskId = await send(told, 'x');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(2);
    const pids = pidsAt(told.desk);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await say(told.desk, ['cancel', taskId, '--reason', 'enough']);
    await worker.says('was taken back');
    await expect.poll(() => pids.map(isAlive), PATIENT).toEqual([false, false]);
    expect(await taskOf(told, taskId)).toMatchObject({ status: 'cancelled', result: 'enough' });
    expect(await told.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
    await expect.poll(() => sessionOf(told), PATIENT).toMatchObject({ status: 'idle' });
  });

  test('one that is moved to another agent has no reply from the first', async () => {
    const told = await scene(target);
    const worker = await startWorker(told.desk, STUBBORN);
    const taskId = await send(told, 'x');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(2);
    await say(told.desk, ['reassign', taskId, 'lifter']);
    await worker.says('was taken back');
    expect(await taskOf(told, taskId)).toMatchObject({ status: 'delivered', to_name: 'lifter', attempt: 2 });
  });

  test('cancelled and retried behind the back of its worker: the first result does not count, the second does', async () => {
    const told = await scene(target);
    const { path, open } = gate(told.desk);
    const worker = await startWorker(told.desk, `echo $$ > pids; cat ${path}; echo "$AGENTHUB_TASK_ATTEMPT"`);
    const taskId = await send(told, 'x');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(1);
    worker.signal('SIGSTOP');
    await say(told.desk, ['cancel', taskId]);
    await say(told.desk, ['retry', taskId]);
    await open();
    worker.signal('SIGCONT');
    await worker.says('was taken back');
    await open();
    await settled(told, taskId, { status: 'replied', result: 'go\n2', attempt: 2 });
  });

  test('what a command left in the background goes with it', async () => {
    const told = await scene(target);
    await startWorker(told.desk, 'sleep 1000 & echo $! > pids; echo $$ >> pids; echo done');
    await settled(told, await send(told, 'x'), { status: 'replied', result: 'done' });
    await expect.poll(() => pidsAt(told.desk).map(isAlive), PATIENT).toEqual([false, false]);
  });

  test('a revoked token ends the worker and its command, with code 4', async () => {
    const told = await scene(target);
    const worker = await startWorker(told.desk, STUBBORN);
    await send(told, 'x');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(2);
    const user = restClient(told.hub.url, told.desk.account.userToken);
    const tokens = listOf((await user.get('/api/tokens')).body, 'tokens');
    const id = textOf(tokens.find(({ kind }) => kind === 'network') ?? {}, 'token_id');
    await fetch(`${told.hub.url}/api/tokens/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${told.desk.account.userToken}` },
    });
    expect(await worker.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('agenthub login signs in') });
    await expect.poll(() => pidsAt(told.desk).map(isAlive), PATIENT).toEqual([false, false]);
  });
});

onePlay('a worker that ends', (target) => {
  test('the first SIGTERM finishes what runs and takes no more', async () => {
    const told = await scene(target);
    const { path, open } = gate(told.desk);
    const worker = await startWorker(told.desk, `cat ${path}`);
    const [first, second] = [await send(told, 'one'), await send(told, 'two')];
    await expect.poll(() => taskOf(told, first), PATIENT).toMatchObject({ status: 'running' });
    worker.signal('SIGTERM');
    await open();
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await taskOf(told, first)).toMatchObject({ status: 'replied', result: 'go' });
    expect(await taskOf(told, second)).toMatchObject({ status: 'delivered', attempt: 1 });
    expect(await sessionOf(told)).toMatchObject({ status: 'offline', task: null });
  });

  test('the second gives the task back, for the next worker', async () => {
    const told = await scene(target);
    const { path, open } = gate(told.desk);
    const first = await startWorker(told.desk, `cat ${path}`);
    const taskId = await send(told, 'one');
    await expect.poll(() => taskOf(told, taskId), PATIENT).toMatchObject({ status: 'running' });
    first.signal('SIGTERM');
    first.signal('SIGINT');
    expect(await first.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('was given back') });
    expect(await taskOf(told, taskId)).toMatchObject({ status: 'delivered', attempt: 2, to_name: 'builder' });
    await startWorker(told.desk, `cat ${path}`);
    await expect.poll(() => taskOf(told, taskId), PATIENT).toMatchObject({ status: 'running' });
    await open();
    await settled(told, taskId, { status: 'replied', result: 'go' });
  });

  test('killed: the next worker of the alias runs the task again', async () => {
    const told = await scene(target);
    const first = await startWorker(told.desk, 'echo $$ > pids; exec sleep 1000');
    const taskId = await send(told, 'one');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(1);
    first.signal('SIGKILL');
    await first.ended;
    process.kill(pidsAt(told.desk)[0] ?? 0);
    const second = await startWorker(told.desk, 'echo done');
    await second.says('started again');
    await settled(told, taskId, { status: 'replied', result: 'done', attempt: 1 });
  });

  test('an alias has one worker: a second is refused', async () => {
    const told = await scene(target);
    const first = await startWorker(told.desk, 'true');
    const work = ['work', '--alias', 'builder', '--', 'true'];
    expect(await run(told.desk, work)).toMatchObject({
      code: 1,
      stderr: `agenthub: a worker for builder runs on this machine already (process ${first.pid}); end it, or pass --take-over\n`,
    });
    await told.agent.call('report_status', { resume_id: 'agent-1', alias: 'planner', status: 'idle' });
    expect(await run(told.desk, ['work', '--alias', 'planner', '--', 'true'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('planner is in use by agent-1'),
    });
    expect(await told.agent.call('get_session_status', { alias: 'planner' })).toMatchObject({
      session: { resume_id: 'agent-1' },
    });
  });

  test('one that takes over runs the task anew, and the other ends with code 1', async () => {
    const told = await scene(target);
    const first = await startWorker(told.desk, 'echo $$ > pids; while :; do echo tick; sleep 0.1; done');
    const taskId = await send(told, 'one');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(1);
    const { path, open } = gate(told.desk);
    const second = await startWorker(told.desk, `cat ${path}`, ['--take-over']);
    expect(await first.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('builder was taken over (alias was in use by resume_id'),
    });
    expect(pidsAt(told.desk).map(isAlive)).toEqual([false]);
    await open();
    await settled(told, taskId, { status: 'replied', result: 'go', attempt: 1 });
    second.signal('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });
});
