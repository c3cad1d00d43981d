// The completion scripts, run by the shells they are for, as far as those are here.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../server/cli/client-commands.ts';
import { OPERATOR_COMMANDS } from '../../server/cli/operator-commands.ts';
import { newDesk, say } from './command-line.ts';

const COMMANDS = [...Object.values(OPERATOR_COMMANDS), ...Object.values(CLIENT_COMMANDS)].flat()
  .flatMap((entry) => ('commands' in entry ? entry.commands.map(({ name }) => [entry.name, name]) : [[entry.name]]));

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s knows every command', async (shell) => {
    const script = await say(newDesk('source'), ['completion', shell]);
    for (const words of COMMANDS) {
      expect(script).toContain(shell === 'fish' ? `-a ${words.at(-1)} ` : `    '${words.join(' ')}') `);
    }
  });

  const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

  const complete = async (line: string): Promise<string[]> => {
    const script = await say(newDesk('source'), ['completion', 'bash']);
    const words = `COMP_WORDS=(${line}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${words}; _agenthub; printf '%s\\n' "\${COMPREPLY[@]}"`], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };

  test.skipIf(!hasShell('bash'))('bash completes commands, options and choices', async () => {
    expect(await complete("agenthub rea")).toEqual(['reassign']);
    expect(await complete("agenthub send --pri")).toEqual(['--priority']);
    expect(await complete("agenthub send --priority ''")).toEqual(['high', 'normal', 'low']);
    expect(await complete("agenthub tasks --status re")).toEqual(['replied']);
    expect(await complete("agenthub config ''")).toEqual(['check', 'print']);
    expect(await complete("agenthub config print --tls")).toEqual(['--tls-cert', '--tls-key']);
    expect(await complete("agenthub config print -o ''")).toEqual(['table', 'json']);
  });

  test.each(['zsh', 'fish'])('%s is told of every command', async (shell) => {
    const script = await say(newDesk('source'), ['completion', shell]);
    for (const name of ['serve', 'send', 'work', 'completion', 'config', 'check']) expect(script).toContain(name);
    expect(script).toContain('idempotency-key');
    if (hasShell(shell)) expect(spawnSync(shell, ['-n', '-c', script], { encoding: 'utf8' }).stderr).toBe('');
  });
});
