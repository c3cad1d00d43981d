// A worker with a real command: tasks go in, results come out, whatever happens to the hub, the worker or the task. Commands
// that are to run until something happened wait on a pipe, which the test opens.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listOf, objectOf, textOf, type JsonObject } from '../support/json.ts';
import { mcpClient, type McpClient } from '../support/mcp-client.ts';
import { restClient } from '../support/rest-client.ts';
import { startHub, story, type RunningHub } from '../support/running-hub.ts';
import type { Target } from '../support/hub-process.ts';
import { deskAt, run, say, start, type AgentDesk, type Desk, type Running } from './command-line.ts';

const PATIENT = { timeout: 15_000 };

type Scene = { hub: RunningHub; desk: AgentDesk; agent: McpClient };

async function scene(target: Target): Promise<Scene> {
  const hub = await startHub({ target });
  const desk = await deskAt(hub, target);
  return { hub, desk, agent: mcpClient(hub.url, desk.account.networkToken) };
}

/** A worker for `builder` whose command is a line of shell, once it takes tasks. */
async function startWorker(desk: Desk, line: string, options: readonly string[] = []): Promise<Running> {
  const worker = start(desk, ['work', '--alias', 'builder', '--grace', '0.3', '--report-every', '0.1', ...options, '--', 'sh', '-c', line]);
  await worker.says('builder waits for tasks');
  return worker;
}

async function send({ agent }: Scene, task: string, more: object = {}): Promise<string> {
  return textOf(await agent.call('send_task', { alias: 'builder', task, from_session: 'alice', ...more }), 'task_id');
}

async function taskOf({ agent }: Scene, taskId: string): Promise<JsonObject> {
  return objectOf(await agent.call('get_task', { task_id: taskId }), 'task');
}

async function sessionOf({ agent }: Scene): Promise<JsonObject> {
  return objectOf(await agent.call('get_session_status', { alias: 'builder' }), 'session');
}

const settled = async (told: Scene, taskId: string, expected: object): Promise<void> => {
  await expect.poll(() => taskOf(told, taskId), PATIENT).toMatchObject(expected);
};

/** A pipe that blocks who reads it until it is opened; opening it waits for the reader. */
function gate(desk: Desk): { path: string; open(): Promise<void> } {
  const path = join(desk.home, 'gate');
  spawnSync('mkfifo', [path]);
  const open = async (): Promise<void> => {
    const writer = spawn('sh', ['-c', `echo go > ${path}`]);
    onTestFinished(() => void writer.kill('SIGKILL'));
    await once(writer, 'exit');
  };
  return { path, open };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

story('a worker', (target) => {
  test('send → work → result, from one command line to another', async () => {
    const told = await scene(target);
    await startWorker(told.desk, 'wc -w');
    expect(await run(told.desk, ['send', '--wait', 'builder', 'how many words are these'])).toMatchObject({ code: 0, stdout: '5\n' });
    expect(await sessionOf(told)).toMatchObject({ status: 'idle', agent: 'worker', output: '5\n', task: null });
    expect(await told.agent.call('get_inbox', { alias: 'builder' })).toMatchObject({ messages: [] });
  });

  test('the command finds the task on its input and in its environment; what it prints shows while it runs', async () => {
    const told = await scene(target);
    const { path, open } = gate(told.desk);
    await startWorker(told.desk, `echo "$AGENTHUB_TASK_ID $AGENTHUB_TASK_FROM $AGENTHUB_TASK_PRIORITY $AGENTHUB_TASK_CONTEXT $AGENTHUB_TASK_ATTEMPT"; echo agenthub:progress 40; cat; echo; echo aside >&2; cat ${path} > /dev/null`);
    const taskId = await send(told, 'the task', { priority: 'high', context: 'some context' });
    await expect.poll(() => sessionOf(told), PATIENT).toMatchObject({ status: 'working', progress: 40, task: `the task (${taskId})` });
    const printed = `${taskId} alice high some context 1\nthe task`;
    await expect.poll(async () => textOf(await sessionOf(told), 'output'), PATIENT).toContain('aside');
    expect(textOf(await sessionOf(told), 'output')).toContain(printed);
    expect(await taskOf(told, taskId)).toMatchObject({ status: 'running' });
    await open();
    await settled(told, taskId, { status: 'replied', result: printed });
  });

  test('a command that fails fails the task with its code and its last words', async () => {
    const told = await scene(target);
    await startWorker(told.desk, 'echo partial; echo "no such branch" >&2; exit 3');
    expect(await run(told.desk, ['send', '--wait', 'builder', 'x'])).toMatchObject({
      code: 5, stdout: 'the command ended with exit code 3\nno such branch\n', stderr: expect.stringContaining('failed'),
    });
  });

  test('a long result is cut in front, an empty one says so, and neither breaks the hub', async () => {
    const told = await scene(target);
    await startWorker(told.desk, 'read -r kind; case $kind in long) yes 🐑 | head -n 20000; echo end;; odd) printf "a\\000b\\377c";; esac');
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

story('a worker and a hub that dies', (target) => {
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

story('a task that is taken back', (target) => {
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
    await fetch(`${told.hub.url}/api/tokens/${id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${told.desk.account.userToken}` } });
    expect(await worker.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('agenthub login signs in') });
    await expect.poll(() => pidsAt(told.desk).map(isAlive), PATIENT).toEqual([false, false]);
  });
});

story('a worker that ends', (target) => {
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
    expect(await run(told.desk, work)).toMatchObject({ code: 1, stderr: `agenthub: a worker for builder runs on this machine already (process ${first.pid}); end it, or pass --take-over\n` });
    await told.agent.call('report_status', { resume_id: 'agent-1', alias: 'planner', status: 'idle' });
    expect(await run(told.desk, ['work', '--alias', 'planner', '--', 'true'])).toMatchObject({ code: 1, stderr: expect.stringContaining('planner is in use by agent-1') });
    expect(await told.agent.call('get_session_status', { alias: 'planner' })).toMatchObject({ session: { resume_id: 'agent-1' } });
  });

  test('one that takes over runs the task anew, and the other ends with code 1', async () => {
    const told = await scene(target);
    const first = await startWorker(told.desk, 'echo $$ > pids; while :; do echo tick; sleep 0.1; done');
    const taskId = await send(told, 'one');
    await expect.poll(() => pidsAt(told.desk), PATIENT).toHaveLength(1);
    const { path, open } = gate(told.desk);
    const second = await startWorker(told.desk, `cat ${path}`, ['--take-over']);
    expect(await first.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('builder was taken over (alias was in use by resume_id') });
    expect(pidsAt(told.desk).map(isAlive)).toEqual([false]);
    await open();
    await settled(told, taskId, { status: 'replied', result: 'go', attempt: 1 });
    second.signal('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });
});

function pidsAt(desk: Desk): number[] {
  const file = join(desk.home, 'pids');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map(Number) : [];
}
