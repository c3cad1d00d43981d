// The compose file and the Caddyfile of "Several hubs on PostgreSQL" fit together, and hubs with their environment share
// a database. The commands for the servers need the image of PostgreSQL, so they are only read.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PASSWORD, restClient } from '../support/http/rest-client.ts';
import { behind, CADDY } from '../support/http/reverse-proxy.ts';
import { isObject, type JsonObject, objectOf } from '../support/json.ts';
import { setupTokenOf, startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';
import { readmeBlock } from '../support/readme.ts';
import { createPostgres, SERVER } from '../support/store/postgres.ts';

const SECTION = 'Start several hubs';
const COMPOSE: JsonObject = parse(readmeBlock(SECTION, 'yaml'), { merge: true });
const CADDYFILE = readmeBlock(SECTION, 'caddy');
const services = Object.entries(objectOf(COMPOSE, 'services')).filter((each): each is [string, JsonObject] =>
  isObject(each[1]),
);
const hubs = services.filter(([, { image }]) => String(image).startsWith('localhost/agenthub'));

/** What the image sets; see scripts/release/image.ts. */
const IMAGE = { AGENTHUB_HOST: '0.0.0.0' };

test('the proxy knows all hubs, each with its own data and name', () => {
  expect(hubs.map(([name]) => name)).toEqual(['hub-1', 'hub-2']);
  expect(CADDYFILE).toContain(`reverse_proxy ${hubs.map(([name]) => `${name}:4747`).join(' ')} {`);
  expect(new Set(hubs.map(([, { volumes }]) => JSON.stringify(volumes))).size).toBe(hubs.length);
  expect(hubs.map(([, { hostname }]) => hostname)).toEqual(hubs.map(([name]) => name));
});

test('what the services use is there', () => {
  const used = (what: string) =>
    new Set(
      services.flatMap(([, service]) =>
        [service[what] ?? []].flat().map((each) => (isObject(each) ? each.source : each)),
      ),
    );
  for (const what of ['secrets', 'configs'])
    expect([...used(what)].sort(), what).toEqual(Object.keys(objectOf(COMPOSE, what)).sort());
  const volumes = [...used('volumes')]
    .map((each) => String(each).split(':')[0])
    .filter((name) => name !== './Caddyfile');
  expect(volumes.sort()).toEqual(Object.keys(objectOf(COMPOSE, 'volumes')).sort());
});

behind(CADDY, () => {
  test('Caddy accepts its file', () => {
    const file = join(temporaryDirectory(), 'Caddyfile');
    writeFileSync(file, CADDYFILE);
    expect(spawnSync('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile']).status).toBe(0);
  });
});

describe.skipIf(SERVER === undefined)('hubs with the environment of the services', () => {
  storyOnce('on one database', (target) => {
    test('are ready, and the link that one has printed works at the other', async () => {
      const file = join(temporaryDirectory(), 'database.txt');
      writeFileSync(file, `${await createPostgres()}\n`);
      const env = { ...IMAGE, ...environmentOf(hubs[0]?.[1] ?? {}), AGENTHUB_DATABASE_FILE: file };
      const [one, other] = [await startHub({ target, env }), await startHub({ target, env })];
      const urlOf = ({ url }: { url: string }) => url.replace(/\/\/[^:]+/, '//127.0.0.1');
      for (const hub of [one, other])
        expect((await restClient(urlOf(hub)).get('/health/ready')).status, hub.output()).toBe(200);
      const { status } = await restClient(urlOf(other), await setupTokenOf(one)).post('/api/auth/register', {
        username: 'ada',
        password: PASSWORD,
      });
      expect(status).toBe(200);
      for (const hub of [one, other]) expect(await hub.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' }); // they would drain
    });
  });
});

function environmentOf(service: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(objectOf(service, 'environment')).map(([name, value]) => [name, String(value)]),
  );
}
