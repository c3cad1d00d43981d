// Commands that follow a stream continue through every fault that is not a refusal by the hub: permission changes of
// other users, an error page of a proxy, an empty response.
import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { portOf } from '../../support/http/plain-proxy.ts';
import { register } from '../../support/http/rest-client.ts';
import { changeRightsInALoop } from '../../support/permission-changes.ts';
import { cliFor, newCli, type Running, start } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

storyOnce('while another tenant changes permissions in a loop', (target) => {
  test('four workers and four watchers open their streams, and all of them keep running', async () => {
    const { hub, ...account } = await hubOfAda({ target });
    const cli = cliFor(hub, target, account);
    const stop = changeRightsInALoop(hub.url, await register(hub.url, 'mallory'));
    const workers = [1, 2, 3, 4].map((number) => start(cli, ['work', '--alias', `worker-${number}`, '--', 'true']));
    const watchers = [1, 2, 3, 4].map(() => start(cli, ['watch', '-o', 'json']));
    await Promise.all(workers.map((worker) => worker.printed('is waiting for tasks')));
    const agent = mcpClient(hub.url, cli.account.networkToken);
    let sent = 0;
    await expect
      .poll(async () => {
        await agent.call('send_message', { alias: 'nobody', message: `message ${sent++}`, from_session: 'alice' });
        return watchers.every((watcher) => watcher.stdout() !== '');
      })
      .toBe(true);
    for (const number of [1, 2, 3, 4])
      await agent.call('send_task', { alias: `worker-${number}`, task: 'x', from_session: 'alice' });
    await expect
      .poll(
        async () => JSON.stringify(await agent.call('list_tasks', { status: 'replied' })).match(/"task_id"/g)?.length,
      )
      .toBe(4);
    expect(await stop()).toBeGreaterThan(0);
    expect(await statesOf([...workers, ...watchers])).toEqual(Array.from({ length: 8 }, () => 'runs'));
  });
});

async function statesOf(commands: readonly Running[]): Promise<string[]> {
  return Promise.all(
    commands.map(({ ended }) => Promise.race([ended.then(({ stderr }) => stderr), Promise.resolve('runs')])),
  );
}

test.each([
  [
    'an error page of a proxy',
    (response: ServerResponse) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  ],
  ['an empty 404', (response: ServerResponse) => response.writeHead(404).end()],
  [
    'a page with status 200',
    (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>'),
  ],
  [
    'a hub that is stopping',
    (response: ServerResponse) => response.writeHead(503).end('{"error":"unavailable","message":"not now"}'),
  ],
])('watch continues after %s', async (_, fault) => {
  const event = 'id: e-1\nevent: task\ndata: {"type":"task","task_id":"task_1","status":"running","alias":"bob"}\n\n';
  const acts = [
    fault,
    fault,
    (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(event),
  ];
  const url = await responding((response) => acts.shift()?.(response));
  const watch = start(newCli(ANY_TARGET, { AGENTHUB_URL: url, AGENTHUB_TOKEN: 'ntok_x' }), ['watch', '-o', 'json']);
  await expect.poll(watch.stdout).toContain('task_1');
});

test.each([
  [401, 'unauthorized', 4],
  [403, 'forbidden', 4],
])('watch exits when the hub refuses it with %i', async (status, error, code) => {
  const url = await responding((response) => response.writeHead(status).end(JSON.stringify({ error, message: 'no' })));
  expect(
    await start(newCli(ANY_TARGET, { AGENTHUB_URL: url, AGENTHUB_TOKEN: 'ntok_x' }), ['watch']).ended,
  ).toMatchObject({ code });
});

async function responding(act: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => act(response));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${portOf(server.address())}`;
}
