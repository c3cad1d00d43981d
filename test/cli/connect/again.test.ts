// `agenthub connect` for a client that is connected already: with another alias, in the other scope, or after a person
// has deleted its files.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { sharedHub } from '../../support/process/shared-hub.ts';

const { url, person } = sharedHub(ANY_TARGET);

const OWN_DIRECTORY = '.config/agenthub';
const TOKENS = `${OWN_DIRECTORY}/agents.json`;

const read = ({ home }: AgentCli, path: string): string => readFileSync(join(home, path), 'utf8');
const connect = (cli: AgentCli, ...args: string[]) => outputOf(cli, ['connect', ...args]);
const aliasesIn = (cli: AgentCli): string[] => Object.keys(JSON.parse(read(cli, TOKENS))[url()]);

describe('the hooks of an earlier run', () => {
  const HOOKS: readonly [client: string, file: string][] = [
    ['claude', '.claude/settings.local.json'],
    ['codex', '.codex/hooks.json'],
    ['gemini', '.gemini/settings.json'],
    ['qwen', '.qwen/settings.json'],
    ['copilot', '.copilot/hooks/agenthub.json'],
    ['opencode', '.config/opencode/plugins/agenthub.js'],
    ['cursor', '.cursor/hooks.json'],
  ];

  test.each(HOOKS)('of %s follow another alias, and keep theirs if none is given', async (client, file) => {
    const cli = person();
    await connect(cli, client, '--write', '--hooks', '--alias', 'builder-1');
    const hooks = read(cli, file);
    const printed = await connect(cli, client, '--write', '--alias', 'builder-2');
    expect(printed).toContain(`wrote ${join(cli.home, file)}`);
    expect(read(cli, file)).toBe(hooks.replaceAll('builder-1', 'builder-2'));
    expect(aliasesIn(cli)).toEqual(['builder-2']);
    expect(await connect(cli, client)).toContain(`connect ${client} --alias builder-2 --write --hooks writes this`);
    expect(await connect(cli, client, '--write')).toContain('Tell the agent its alias: builder-2');
    expect(read(cli, file)).toBe(hooks.replaceAll('builder-1', 'builder-2'));
  });

  test('without an address, as earlier versions wrote them, follow as well', async () => {
    const cli = person();
    const file = join(cli.home, '.cursor/hooks.json');
    mkdirSync(dirname(file));
    writeFileSync(file, '{"version":1,"hooks":{"stop":[{"command":"agenthub hook cursor --alias builder-1"}]}}');
    await connect(cli, 'cursor', '--write', '--alias', 'builder-2');
    expect(readFileSync(file, 'utf8')).not.toContain('builder-1');
    expect(aliasesIn(cli)).toEqual(['builder-2']);
  });

  test('of a person are no reason to install hooks', async () => {
    const cli = person();
    const file = join(cli.home, '.cursor/hooks.json');
    mkdirSync(dirname(file));
    const own = '{"version":1,"hooks":{"stop":[{"command":"log.sh agenthub hook cursor --alias me --url http://x"}]}}';
    writeFileSync(file, own);
    await connect(cli, 'cursor', '--write');
    expect(readFileSync(file, 'utf8')).toBe(own);
    expect(existsSync(join(cli.home, TOKENS))).toBe(false);
  });
});

describe('after a person has deleted the file with the hooks of', () => {
  const HOOKS = [
    ['gemini', '.gemini/settings.json'],
    ['codex', '.codex/hooks.json'],
    ['opencode', '.config/opencode/plugins/agenthub.js'],
  ] as const;

  test.each(HOOKS)('%s, --remove forgets the token and the file: %s', async (client, file) => {
    const cli = person();
    await connect(cli, client, '--write', '--hooks', '--alias', 'builder-1');
    rmSync(join(cli.home, file));
    expect(await connect(cli, client, '--remove')).toContain(
      `${join(cli.home, file)} was deleted before; forgot what connect had written to it`,
    );
    for (const name of ['agents.json', 'connections.json'])
      expect(existsSync(join(cli.home, OWN_DIRECTORY, name))).toBe(false);
    expect(await connect(cli, client, '--remove')).toContain('has no configuration for a hub here');
  });

  test.each(HOOKS)('%s, --write and --remove forget the token: %s', async (client, file) => {
    const cli = person();
    await connect(cli, client, '--write', '--hooks', '--alias', 'builder-1');
    rmSync(join(cli.home, file));
    await connect(cli, client, '--write', '--alias', 'builder-2');
    await connect(cli, client, '--remove');
    expect(existsSync(join(cli.home, TOKENS))).toBe(false);
  });

  test('gemini in a home directory that is a link, --remove forgets the token', async () => {
    const cli = person();
    mkdirSync(join(cli.home, 'real'));
    symlinkSync('real', join(cli.home, 'link'));
    const linked = { ...cli, home: join(cli.home, 'link'), env: { ...cli.env, HOME: join(cli.home, 'link') } };
    await connect(linked, 'gemini', '--write', '--hooks', '--alias', 'builder-1');
    expect(aliasesIn(linked)).toEqual(['builder-1']);
    rmSync(join(linked.home, '.gemini/settings.json'));
    await connect(linked, 'gemini', '--remove');
    expect(existsSync(join(linked.home, TOKENS))).toBe(false);
  });
});

describe('hooks for another alias in the other scope of', () => {
  const SCOPES = [
    ['claude', 'user', 'project', '.claude/settings.json'],
    ['codex', 'project', 'user', '.codex/hooks.json'],
    ['opencode', 'user', 'project', '.config/opencode/plugins/agenthub.js'],
  ] as const;

  test.each(SCOPES)('%s, %s: --write refuses, and without it warns', async (client, first, second, file) => {
    const cli = person();
    const cwd = join(cli.home, 'parser');
    mkdirSync(cwd);
    const connect = (...args: string[]) => run(cli, ['connect', client, ...args], { cwd });
    expect(await connect('--write', '--hooks', '--scope', first, '--alias', 'builder-1')).toMatchObject({ code: 0 });
    const files = () => readdirSync(cli.home, { recursive: true });
    const before = files();
    const place = join(first === 'user' ? cli.home : cwd, file);
    const reason =
      `has hooks for builder-1 in ${place}, and would run both; use that alias, or remove them first with: ` +
      `agenthub connect ${client} --remove --scope ${first}\n`;
    const other = ['--scope', second, '--alias', 'builder-2'];
    for (const hooks of [[], ['--hooks']]) {
      const refused = await connect('--write', ...other, ...hooks);
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
      const printed = await connect(...other, ...hooks);
      expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining(`refuse this: `) });
      expect(printed.stderr).toContain(reason);
    }
    expect(files()).toEqual(before);
    expect((await connect('--write', '--scope', second)).stdout).toContain('Tell the agent its alias: builder-1');
    await connect('--remove', '--scope', first);
    expect(await connect('--write', '--hooks', ...other)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('--remove', () => {
  const ALL = ['claude', 'codex', 'gemini', 'qwen', 'copilot', 'opencode', 'cursor', 'vscode'] as const;

  test.each(ALL.flatMap((client) => (['user', 'project'] as const).map((scope) => [client, scope] as const)))(
    'of %s in scope %s leaves no directory behind that connect created',
    async (client, scope) => {
      const cli = person();
      const cwd = join(cli.home, 'parser');
      mkdirSync(cwd);
      mkdirSync(join(cli.home, OWN_DIRECTORY), { recursive: true });
      const before = readdirSync(cli.home, { recursive: true }).toSorted();
      const connect = (...args: string[]) => outputOf(cli, ['connect', client, '--scope', scope, ...args], { cwd });
      await connect('--write');
      if (client !== 'vscode') await connect('--write', '--hooks');
      await connect('--remove');
      expect(readdirSync(cli.home, { recursive: true }).toSorted()).toEqual(before);
    },
  );

  test('keeps an empty directory of a person, and one with another file', async () => {
    const cli = person();
    mkdirSync(join(cli.home, '.gemini'));
    for (const client of ['gemini', 'codex']) await connect(cli, client, '--write', '--hooks');
    writeFileSync(join(cli.home, '.codex/auth.json'), '{}');
    for (const client of ['gemini', 'codex']) await connect(cli, client, '--remove');
    expect(readdirSync(cli.home).toSorted()).toEqual(['.codex', '.config', '.gemini']);
    expect(readdirSync(join(cli.home, '.codex'))).toEqual(['auth.json']);
  });

  test.each([
    ['cursor', '.cursor/hooks.json'],
    ['copilot', '.copilot/hooks/agenthub.json'],
  ])(
    'of %s takes back the version from a file of a person that had none, although it was changed',
    async (client, path) => {
      const cli = person();
      const file = join(cli.home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '{\n  "hooks": {}\n}\n');
      await connect(cli, client, '--write', '--hooks', '--scope', 'user');
      writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{\n  "mine": 1,'));
      await connect(cli, client, '--remove', '--scope', 'user');
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mine: 1, hooks: {} });
    },
  );

  test('keeps the version of a file that connect created for the hooks that a person has added', async () => {
    const cli = person();
    const file = join(cli.home, '.cursor/hooks.json');
    await connect(cli, 'cursor', '--write', '--hooks');
    const own = { beforeReadFile: [{ command: 'log.sh' }] };
    const { version, hooks } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ version, hooks: { ...own, ...hooks } }));
    await connect(cli, 'cursor', '--remove');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, hooks: own });
  });
});
