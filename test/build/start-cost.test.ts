// The cost of a start, without a clock: the modules it loads, and the compiled code that it takes from the executable.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import seaConfig from '../../sea-config.json' with { type: 'json' };
import { FIRST_WORDS } from '../../server/cli/commands.ts';
import { HOOK_COMMANDS } from '../../server/cli/hooks/commands.ts';
import { scriptFor } from '../../server/native/compiled.ts';

beforeAll(() => build(), 120_000);

describe('the Node modules a hub has loaded after its first responses', () => {
  const loaded = (): string[] => JSON.parse(readFileSync(join(DIST, 'loaded.json'), 'utf8'));

  test('are those required to serve', () => {
    expect(loaded()).toEqual(expect.arrayContaining(['NativeModule http', 'NativeModule crypto', 'NativeModule dns']));
  });

  test.each([
    ['TLS without a certificate', 'https'],
    ['TLS without a certificate', 'tls'],
    ['HTTP/2', 'http2'],
    ['compression', 'zlib'],
    ['fetch', 'internal/deps/undici/undici'],
    ['Web Crypto', 'internal/crypto/webcrypto'],
    ['web streams', 'stream/web'],
  ])('do not include %s: %s', (_, name) => {
    expect(loaded()).not.toContain(`NativeModule ${name}`);
  });
});

describe('the packages in the bundle of the server', () => {
  const bundle = (): Metafile => JSON.parse(readFileSync(join(DIST, 'server.meta.json'), 'utf8'))[0];
  const packagesOf = (paths: Iterable<string>): Set<string> =>
    new Set([...paths].flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));

  test('do not include the client for remote databases', () => {
    const packages = packagesOf(Object.keys(bundle().inputs));
    expect(packages).toContain('@libsql/client');
    for (const name of ['@libsql/hrana-client', 'ws']) expect(packages).not.toContain(name);
  });

  test('are loaded by serve unless they are optional', () => {
    const packages = packagesOf(importedBy(bundle(), 'server/serve/serve.ts'));
    for (const name of ['koa', '@libsql/client', 'pino']) expect(packages).toContain(name);
    for (const name of ['prom-client', 'pino-pretty', 'bcryptjs', 'commander']) expect(packages).not.toContain(name);
  });
});

describe('the script for hooks', () => {
  const [server, hooks]: Metafile[] = JSON.parse(readFileSync(join(DIST, 'server.meta.json'), 'utf8'));
  const sizeOf = ({ outputs }: Metafile): number => Object.values(outputs).reduce((sum, { bytes }) => sum + bytes, 0);

  test('has less than a tenth of the program', () => {
    if (server === undefined || hooks === undefined) throw new Error('not built');
    expect(sizeOf(hooks)).toBeLessThan(sizeOf(server) / 10);
    for (const path of Object.keys(hooks.inputs)) expect(path).not.toMatch(/^server\/(http|mcp|operations|store)\//);
  });

  test('is for all commands that clients run as hooks, and no other', () => {
    const hookNames = HOOK_COMMANDS.map(({ name }) => name);
    for (const word of FIRST_WORDS)
      expect([word, scriptFor(['agenthub', 'agenthub', word])]).toEqual([
        word,
        hookNames.includes(word) ? 'hooks' : 'server',
      ]);
  });
});

describe('the compiled code in the executable', () => {
  test.each(['server', 'hooks'])('of %s matches its V8 and its flags', (name) => {
    expect(takesCode(name, seaConfig.execArgv)).toBe(true);
  });

  test('would be rejected under other flags', () => {
    expect(takesCode('server', ['--no-opt'])).toBe(false);
  });

  test.each(seaConfig.execArgv)('that of the modules of Node is taken with %s', (flag) => {
    expect(compiledModules([flag])).toEqual(compiledModules([]));
  });

  test('that of the modules of Node would be rejected under other flags', () => {
    expect(compiledModules(['--no-opt'])).not.toEqual(compiledModules([]));
  });
});

/** The modules loaded with a module: all its static imports, and theirs. */
function importedBy({ inputs }: Metafile, first: string): Set<string> {
  const found = new Set([first]);
  for (const path of found) {
    for (const { path: next, kind, external } of inputs[path]?.imports ?? [])
      if (external !== true && kind !== 'dynamic-import') found.add(next);
  }
  return found;
}

function takesCode(name: string, flags: readonly string[]): boolean {
  const program = `
    const { readFileSync } = require('node:fs');
    const script = new (require('node:vm').Script)(readFileSync('${name}.js', 'latin1'), { cachedData: readFileSync('${name}.cache') });
    process.exitCode = script.cachedDataRejected ? 3 : 0;`;
  const { status, stderr } = spawnSync(join(DIST, 'node'), [...flags, '--eval', program], {
    cwd: DIST,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return status === 0;
}

/** The modules of Node whose embedded compiled code V8 has refused. */
function compiledModules(flags: readonly string[]): unknown {
  const program = `
    const { internalBinding } = require('internal/test/binding');
    for (const name of ['crypto', 'http', 'net']) require(name);
    console.log(JSON.stringify([...internalBinding('builtins').getCacheUsage().compiledWithoutCache]));`;
  const all = [...flags, '--expose-internals', '--no-warnings', '--eval', program];
  const { stdout } = spawnSync(join(DIST, 'node'), all, { encoding: 'utf8' });
  return JSON.parse(stdout);
}
