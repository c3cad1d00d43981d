// The scripts of OPERATING.md in Python and TypeScript, run as files against a hub.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { register, restClient } from '../../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { readmeBlock } from '../../support/readme.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Starts the script; `ended` resolves with what it printed. */
function run(program: string, name: string, script: string, env: Readonly<Record<string, string>>) {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, script);
  const child = spawn(program, [file], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { ended };
}

storyOnce('scripts in other languages', (target) => {
  test.skipIf(!hasPython)('one in Python sends a task and prints its result', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const env = { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: networkToken };
    const { ended } = run('python3', 'send.py', readmeBlock('From Python', 'python'), env);
    const agent = mcpClient(hub.url, networkToken);
    const mail = async () => listOf(await agent.call('get_inbox', { alias: 'counter' }), 'messages');
    await expect.poll(mail, { timeout: 60_000 }).toMatchObject([{ content: 'how many words are these' }]);
    const [task] = await mail();
    const reply = { alias: 'nightly', text: '5', in_reply_to: task?.['task_id'], from_session: 'counter' };
    await agent.call('send_reply', reply);
    expect(await ended).toMatchObject({ code: 0, stdout: 'replied 5\n' });
  });

  test('one in TypeScript is an agent that settles a task', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const env = { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: networkToken };
    const { ended } = run(process.execPath, 'agent.ts', readmeBlock('From TypeScript', 'ts'), env);
    const rest = restClient(hub.url, networkToken);
    const { body: sent } = await rest.post('/api/tasks', { alias: 'shouter', task: 'say it louder' });
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    const { body } = await rest.get(`/api/tasks/${textOf(sent, 'task_id')}`);
    expect(objectOf(body, 'task')).toMatchObject({ status: 'replied', result: 'SAY IT LOUDER' });
  });
});
