// A hub that keeps nothing, for a test or a first look.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { printed } from '../../../scripts/support/process.ts';
import { register } from '../../support/http/rest-client.ts';
import { newCli, start } from '../../support/process/command-line.ts';
import { launch } from '../../support/process/hub-process.ts';
import { runToItsEnd, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { hasTerminal, startOnTerminal } from '../../support/process/terminal.ts';

storyOnce('an ephemeral hub', (target) => {
  test.each(['SIGTERM', 'SIGINT'] as const)('serves from a private directory, which %s deletes', async (signal) => {
    const temporary = temporaryDirectory();
    const hub = launch({
      target,
      args: ['serve', '--ephemeral', '--port', '0'],
      env: {
        TMPDIR: temporary,
        AGENTHUB_DATA: join(temporary, 'mine'),
        AGENTHUB_DATABASE: 'postgres://hub@db.invalid/hub',
      },
    });
    onTestFinished(async () => void (await hub.kill('SIGKILL')));
    const url = await printed(hub, /"url":"([^"]+)","mcp":/, 10_000);
    await register(url);
    const [name = ''] = readdirSync(temporary);
    expect(hub.output()).toContain(`"data":"${join(temporary, name)}"`);
    expect(existsSync(join(temporary, name, 'agenthub.db'))).toBe(true);
    expect(hub.output()).toContain('Nothing is kept: the data is deleted when the hub stops.');
    expect(await hub.kill(signal)).toEqual({ code: 0, signal: null });
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('deletes the directory too if it cannot start', async () => {
    const temporary = temporaryDirectory();
    const args = ['serve', '--ephemeral', '--host', '192.0.2.1'];
    expect((await runToItsEnd({ target, args, env: { TMPDIR: temporary } })).code).toBe(1);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test.each([
    ['--data <directory>', '--data=./data'],
    ['--database <url>', '--database=postgres://hub@db.invalid/hub'],
  ])('is refused together with %s', async (option, given) => {
    const cli = newCli(target);
    const { code, stderr } = await start(cli, ['serve', '--ephemeral', given]).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(`option '--ephemeral' cannot be used with option '${option}'`);
    expect(readdirSync(cli.home)).toEqual([]);
  });

  test.skipIf(!hasTerminal)(
    'says on a terminal that nothing is kept, and deletes the directory on Ctrl-C',
    async () => {
      const temporary = temporaryDirectory();
      const cli = newCli(target, { TMPDIR: temporary });
      const shown = startOnTerminal(cli, ['serve', '--ephemeral', '--port', '0']);
      await expect.poll(shown.screen).toContain('Nothing is kept: the data is deleted when the');
      shown.type('\x03');
      await shown.ended; // with the code of a shell in between
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
