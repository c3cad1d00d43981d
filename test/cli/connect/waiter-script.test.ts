// agenthub-wake, the command that Copilot CLI may run without asking: where connect writes it, and what it can do.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProcess } from '../../../scripts/support/process.ts';
import { WAITER_SCRIPT } from '../../../server/cli/connect/waiter-script.ts';
import { type AgentCli, cliFor, outputOf, run } from '../../support/process/command-line.ts';
import { isBuilt, programOf } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';

const COMMAND = { kind: 'commands', commandIdentifiers: ['agenthub-wake'] };

/** A person whose shell finds the executable in a directory below the home directory. */
async function person(): Promise<{ cli: AgentCli; waiter: string; bin: string }> {
  const { hub, ...account } = await hubOfAda({ target: 'binary' });
  const cli = cliFor(hub, 'binary', account);
  const bin = join(cli.home, 'bin');
  mkdirSync(bin);
  symlinkSync(programOf('binary')[0], join(bin, 'agenthub'));
  const env = { ...cli.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  return { cli: { ...cli, env }, bin, waiter: join(bin, 'agenthub-wake') };
}

function approvalsOf({ home }: AgentCli): unknown {
  return JSON.parse(readFileSync(join(home, '.copilot/permissions-config.json'), 'utf8')).locations[home];
}

async function greeting(cli: AgentCli): Promise<string> {
  const input = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's-1' });
  return outputOf(cli, ['hook', 'copilot', '--alias', 'copilot', '--url', cli.env.AGENTHUB_URL ?? ''], { input });
}

describe.skipIf(!isBuilt('binary'))('agenthub-wake, on binary', () => {
  test('is written to the directory of the program, allowed, named to the agent, and taken back', async () => {
    const { cli, waiter } = await person();
    const output = await outputOf(cli, ['connect', 'copilot', '--hooks', '--write']);
    expect(output).toContain(`wrote ${waiter}`);
    expect(output).not.toContain('It asks before the agent runs');
    expect([readFileSync(waiter, 'utf8'), statSync(waiter).mode & 0o777]).toEqual([WAITER_SCRIPT, 0o755]);
    expect(approvalsOf(cli)).toHaveProperty('tool_approvals.1', COMMAND);
    expect(await greeting(cli)).toContain('`agenthub-wake s-1 --alias copilot --url ');
    expect(await outputOf(cli, ['connect', 'copilot', '--remove'])).toContain(`deleted ${waiter}`);
    expect([existsSync(waiter), existsSync(join(cli.home, '.copilot/permissions-config.json'))]).toEqual([
      false,
      false,
    ]);
  });

  test('waits for the mail of its session, and runs no program', async () => {
    const { cli, waiter } = await person();
    await outputOf(cli, ['connect', 'copilot', '--hooks', '--write']);
    const address = ['--alias', 'copilot', '--url', cli.env.AGENTHUB_URL ?? ''];
    const waiting = startProcess({ file: waiter, args: ['s-1', ...address] }, { env: cli.env });
    const task = await outputOf(cli, ['send', 'copilot', 'water the plants']);
    await waiting.ended;
    expect(waiting.stdout()).toContain(
      task
        .trim()
        .split(/\s+/)
        .find((word) => word.startsWith('task_')) ?? 'no task',
    );
    const mark = join(cli.home, 'mark');
    const forced = startProcess(
      { file: waiter, args: ['s-1', '--exec', `touch ${mark}`, ...address] },
      { env: cli.env },
    );
    expect(await forced.ended).toMatchObject({ code: 1 });
    expect([forced.stderr(), existsSync(mark)]).toEqual([expect.stringContaining('--exec'), false]);
  });

  test.each([
    ['the directory of the program must not be written to', ({ bin }: { bin: string }) => chmodSync(bin, 0o555)],
    ['another program has its name', ({ waiter }: { waiter: string }) => writeFileSync(waiter, '#!/bin/sh\n')],
  ])('is not used if %s, and connect says what Copilot then asks', async (_, prepare) => {
    const own = await person();
    prepare(own);
    if (process.getuid?.() === 0 && !existsSync(own.waiter)) return; // root may write everywhere
    const output = await outputOf(own.cli, ['connect', 'copilot', '--hooks', '--write']);
    expect(output).toContain('It asks before the agent runs agenthub wake');
    expect(approvalsOf(own.cli)).not.toHaveProperty('tool_approvals.1');
    expect(await greeting(own.cli)).toContain('`agenthub wake --session s-1 ');
  });

  test('of the system is used as it is, and stays', async () => {
    const { cli, waiter } = await person();
    writeFileSync(waiter, WAITER_SCRIPT, { mode: 0o755 });
    expect(await outputOf(cli, ['connect', 'copilot', '--hooks', '--write'])).not.toContain(waiter);
    expect(approvalsOf(cli)).toHaveProperty('tool_approvals.1', COMMAND);
    expect(await run(cli, ['connect', 'copilot', '--remove'])).toMatchObject({ code: 0 });
    expect(existsSync(waiter)).toBe(true);
  });
});
