// Where clients keep their files, and changing several of them: all or none, and nothing of a person is lost.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
    ['gemini', 'GEMINI_CLI_HOME', '/moved/.gemini/settings.json', '/moved/.gemini/settings.json'],
    ['qwen', 'QWEN_HOME', '/moved/settings.json', '/moved/settings.json'],
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
    const configuration = temporaryDirectory();
    vi.stubEnv('XDG_CONFIG_HOME', configuration);
    onTestFinished(() => void vi.unstubAllEnvs());
    const backups = join(configuration, 'agenthub/connect-backups');
    return { write, all, backups, at: (name: string) => join(directory, name) };
  }
  const change = (file: string, text: string | undefined) => ({ file, text, isSecret: false });

  test('change together, with backups of those that had content', () => {
    const { write, all, at, backups } = person();
    const changes = [change(write('a', '1'), '2'), change(at('x/b'), '3'), change(write('c', '4'), undefined)];
    const [ofFirst = '', ofNew, ofDeleted = ''] = changeFiles(changes);
    expect([ofFirst, ofDeleted].map((backup) => [dirname(backup), readFileSync(backup, 'utf8')])).toEqual([
      [backups, '1'],
      [backups, '4'],
    ]);
    expect(ofNew).toBeUndefined();
    expect(basename(ofFirst)).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+Z-.*-a$/);
    expect([backups, ofFirst, ofDeleted].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
    expect(Object.fromEntries(all())).toEqual({ a: '2', 'x/b': '3' });
    expect(statSync(at('a')).mode & 0o777).toBe(0o640);
  });

  test('a file of ours needs no backup', () => {
    const { write, backups } = person();
    expect(changeFiles([{ ...change(write('a', '1'), '2'), isOurs: true }])).toEqual([undefined]);
    expect(existsSync(backups)).toBe(false);
  });

  test.each([
    ['a file', (at: (name: string) => string) => writeFileSync(at('real'), '1'), '1'],
    ['nothing', () => {}, undefined],
  ])('change through a link to %s, which stays', (_what, prepare, before) => {
    const { at } = person();
    prepare(at);
    symlinkSync('real', at('link'));
    changeFiles([change(at('link'), '2')]);
    expect(readFileSync(at('real'), 'utf8')).toBe('2');
    changeFiles([change(at('link'), before)]);
    expect(readlinkSync(at('link'))).toBe('real');
    expect(existsSync(at('real')) ? readFileSync(at('real'), 'utf8') : undefined).toBe(before);
  });

  test('a draft never takes the place of a file of a person', () => {
    const { write, all } = person();
    const file = write('a', '1');
    write('a.new-1', 'mine');
    changeFiles([change(file, '2')]);
    expect(Object.fromEntries(all())).toEqual({ a: '2', 'a.new-1': 'mine' });
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
