// The cost of a start, without a clock: the modules it loads, and the compiled code that it takes from the executable.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import seaConfig from '../../sea-config.json' with { type: 'json' };

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

describe('the compiled code in the executable', () => {
  test('matches its V8 and its flags', () => {
    expect(takesCode(seaConfig.execArgv)).toBe(true);
  });

  test('would be rejected under other flags', () => {
    expect(takesCode(['--no-opt'])).toBe(false);
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

function takesCode(flags: readonly string[]): boolean {
  const program = `
    const { readFileSync } = require('node:fs');
    const script = new (require('node:vm').Script)(readFileSync('server.js', 'latin1'), { cachedData: readFileSync('server.cache') });
    process.exitCode = script.cachedDataRejected ? 3 : 0;`;
  const { status, stderr } = spawnSync(join(DIST, 'node'), [...flags, '--eval', program], {
    cwd: DIST,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return status === 0;
}
