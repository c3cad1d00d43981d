// Where clients keep their files, and changing several of them: all or none, and nothing of a person is lost.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { fileOf } from '../../../server/cli/connect/client-files.ts';
import { changeFiles } from '../../../server/cli/connect/replace-file.ts';
import type { Client } from '../../../server/domain/clients/client.ts';
import { CLIENTS, type ConnectName, configurationOf } from '../../../server/domain/clients/clients.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

describe('the file of a client', () => {
  const userFile = (name: ConnectName) => fileOf(CLIENTS[name], configurationOf(name).files, 'user');
  const hookFile = (name: ConnectName) => {
    const { hooks }: Client = CLIENTS[name];
    return hooks?.installation === undefined ? '' : fileOf(CLIENTS[name], hooks.installation.files, 'user');
  };

  test.each<[name: ConnectName, variable: string, file: string, hooks: string]>([
    ['claude', 'CLAUDE_CONFIG_DIR', '/moved/.claude.json', '/moved/settings.json'],
    ['codex', 'CODEX_HOME', '/moved/config.toml', '/moved/hooks.json'],
    ['copilot', 'COPILOT_HOME', '/moved/mcp-config.json', '/moved/hooks/agenthub.json'],
    ['opencode', 'XDG_CONFIG_HOME', '/moved/opencode/opencode.json', '/moved/opencode/plugins/agenthub.js'],
    ['vscode', 'XDG_CONFIG_HOME', '/moved/Code/User/mcp.json', ''],
  ])('%s is where %s says', (name, variable, file, hooks) => {
    vi.stubEnv(variable, '/moved');
    expect([userFile(name), hookFile(name)]).toEqual([file, hooks]);
    vi.stubEnv(variable, '');
    expect(userFile(name)).toBe(join(homedir(), configurationOf(name).files.user));
    vi.unstubAllEnvs();
  });

  test.each([
    ['darwin', 'Library/Application Support/Code/User/mcp.json'],
    ['win32', 'AppData/Roaming/Code/User/mcp.json'],
  ] as const)('of VS Code has another place on %s', (platform, path) => {
    vi.stubGlobal('process', { ...process, platform, env: {}, cwd: () => '/' });
    expect(userFile('vscode')).toBe(join(homedir(), path));
    vi.unstubAllGlobals();
  });
});

describe('several files', () => {
  function person() {
    const directory = temporaryDirectory();
    const write = (name: string, text: string): string => {
      const file = join(directory, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: 0o640 });
      return file;
    };
    const all = () =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(join(directory, name)).isFile())
        .map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
    return { write, all, at: (name: string) => join(directory, name) };
  }
  const change = (file: string, text: string | undefined) => ({ file, text, isSecret: false });

  test('change together, with backups of those that had content', () => {
    const { write, all, at } = person();
    const changes = [change(write('a', '1'), '2'), change(at('x/b'), '3'), change(write('c', '4'), undefined)];
    expect(changeFiles(changes)).toEqual([at('a.backup-1'), undefined, undefined]);
    expect(Object.fromEntries(all())).toEqual({ a: '2', 'a.backup-1': '1', 'x/b': '3' });
    expect(statSync(at('a')).mode & 0o777).toBe(0o640);
  });

  test('a draft never takes the place of a file of a person', () => {
    const { write, all } = person();
    const file = write('a', '1');
    write('a.new-1', 'mine');
    changeFiles([change(file, '2')]);
    expect(Object.fromEntries(all())).toEqual({ a: '2', 'a.backup-1': '1', 'a.new-1': 'mine' });
  });

  test.each([
    ['cannot be written', (path: string) => join(path, 'inside'), undefined],
    ['is gone at the last moment', (path: string) => `${path}-x/y`, 'the directory'],
  ])('none changes if one %s', (_why, lastOf, gone) => {
    const { write, all, at } = person();
    const first = write('a', '1');
    const last = lastOf(write('b', '2'));
    if (gone !== undefined) write('b-x/y', '3');
    const before = all().filter(([name]) => name !== 'b-x/y');
    const sabotage = () => gone !== undefined && rmSync(dirname(last), { recursive: true });
    expect(() => changeFiles([change(first, '5'), change(at('new/c'), '6'), change(last, '7')], sabotage)).toThrow(
      `nothing was changed, because ${last} cannot be written`,
    );
    expect(all()).toEqual(before);
    expect(readdirSync(dirname(first))).not.toContain('new');
  });
});
