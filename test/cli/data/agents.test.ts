// Agents from the point of view of the operator: the list of a network, and forgetting one, on a running hub and a
// stopped one.
import { describe, expect, test } from 'vitest';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { type JsonObject, listOf, objectIn } from '../../support/json.ts';
import { type Cli, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { hasTerminal, startOnTerminal } from '../../support/process/terminal.ts';

const ask = async (cli: Cli, ...words: string[]): Promise<JsonObject> =>
  objectIn(await outputOf(cli, [...words, '-o', 'json']));

const agentsIn = async (cli: Cli, ...filter: string[]): Promise<unknown[]> =>
  listOf(await ask(cli, 'agent', 'list', '--network', 'ada', ...filter), 'agents').map(({ alias }) => alias);

const reportAs = (url: string, token: string, alias: string, status = 'idle') =>
  mcpClient(url, token).call('report_status', { resume_id: alias, alias, status, hostname: 'build-1' });

storyOnce('the agents of a network', (target) => {
  test('are listed, and one is forgotten until it reports again; its mail and tasks stay', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    expect(await outputOf(cli, ['agent', 'list', '--network', 'ada'])).toBe('no matching agents\n');
    for (const alias of ['builder', 'old']) await reportAs(hub.url, networkToken, alias);
    await reportAs(hub.url, networkToken, 'gone', 'offline');
    const sent = await mcpClient(hub.url, networkToken).call('send_task', { alias: 'old', task: 'x' });
    expect(await outputOf(cli, ['agent', 'list', '--network', 'ada'])).toMatch(/^old +idle .* ago +1 .*build-1$/m);
    expect(await agentsIn(cli, '--status', 'offline')).toEqual(['gone']);

    const forget = ['agent', 'forget', 'old', '--network', 'ada', '--yes'];
    expect(await outputOf(cli, forget)).toBe('forgot old; 1 unread in its inbox stay for that alias\n');
    expect(await agentsIn(cli)).toEqual(['builder', 'gone']);
    expect(await run(cli, forget)).toMatchObject({
      code: 1,
      stderr: 'agenthub: agent old does not exist in ada; agenthub agent list shows all agents\n',
    });
    expect(listOf(await ask(cli, 'audit', 'log', '--action', 'agent.forget'), 'entries')).toMatchObject([
      { actor: 'command line', target_id: 'old' },
    ]);

    await reportAs(hub.url, networkToken, 'old');
    expect(await agentsIn(cli)).toEqual(['builder', 'gone', 'old']);
    expect(await mcpClient(hub.url, networkToken).call('get_inbox', { alias: 'old' })).toMatchObject({
      messages: [{ id: sent['task_id'] }],
    });
  });

  test('of a stopped hub can be forgotten, too', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    await reportAs(hub.url, networkToken, 'builder');
    await hub.stop();
    const cli = newCli(target, { AGENTHUB_DATA: hub.data });
    expect(await outputOf(cli, ['agent', 'forget', 'builder', '--network', 'ada', '--yes'])).toBe('forgot builder\n');
    await startHub({ target, data: hub.data });
    expect(await agentsIn(cli)).toEqual([]);
  });
});

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('agent forget asks; only yes forgets', async () => {
    const { hub, networkToken } = await hubOfAda({ target: ANY_TARGET });
    await reportAs(hub.url, networkToken, 'builder');
    const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
    for (const [answer, code] of [
      ['n\r', 1],
      ['y\r', 0],
    ] as const) {
      expect(await agentsIn(cli)).toEqual(['builder']);
      const terminal = startOnTerminal(cli, ['agent', 'forget', 'builder', '--network', 'ada']);
      await terminal.shows('Its mail and its tasks stay.');
      await terminal.shows('Continue? [y/N] ');
      terminal.type(answer);
      expect(await terminal.ended).toBe(code);
    }
    expect(await agentsIn(cli)).toEqual([]);
  });
});
