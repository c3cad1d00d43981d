// What the terminal shows when the hub starts: its addresses, the data directory, and the first step.
import { expect, test } from 'vitest';
import { clickableUrls, localUrl } from '../../server/serve/addresses.ts';
import { banner, placeIn } from '../../server/serve/banner.ts';
import type { ClusterHub } from '../../server/store/engine/cluster.ts';

const LISTENING = {
  version: '1.2.3',
  urls: ['http://hub.lan:4747', 'http://localhost:4747'],
  publicUrl: undefined,
  data: '/srv/hub',
  place: undefined,
  isEphemeral: false,
  isEmpty: true,
  setupToken: 'secret',
};

test('every address is clickable, the public one first', () => {
  expect(banner(LISTENING)).toContain(
    'Console   http://hub.lan:4747/\n            http://localhost:4747/\n  MCP       http://hub.lan:4747/mcp\n  Data      /srv/hub\n',
  );
  const named = banner({ ...LISTENING, publicUrl: 'https://hub.example' });
  expect(named).toContain('Console   https://hub.example/\n            http://hub.lan:4747/\n');
  expect(named).toContain('MCP       https://hub.example/mcp\n');
});

test('the first step is the setup link, registering, or signing in', () => {
  expect(banner(LISTENING)).toContain('\n  http://hub.lan:4747/#setup=secret\n');
  expect(banner({ ...LISTENING, setupToken: undefined })).toContain(
    'open the console and register; the first user becomes admin',
  );
  expect(banner({ ...LISTENING, isEmpty: false })).toContain('Open the console and sign in.');
  expect(banner({ ...LISTENING, isEmpty: false })).not.toContain('secret');
});

test('a hub on PostgreSQL says which one of its cluster it is', () => {
  const place = { hub: 'node-2:4747', hub_id: 'x', number: 2, hubs: 3 };
  expect(banner({ ...LISTENING, place })).toContain('\n  Cluster   hub 2 of 3 on its database (node-2:4747)\n');
  expect(banner({ ...LISTENING, place: { ...place, number: 1, hubs: 1 } })).toContain('the only hub on its database');
  expect(banner(LISTENING)).not.toContain('Cluster');
});

test('a hub that could not announce itself yet comes after those that it knows', () => {
  const known = (hub_id: string) => ({ hub_id, hub_name: `${hub_id}:4747`, is_alive: true }) as ClusterHub;
  const place = (...hubs: ClusterHub[]) => placeIn({ hubId: 'two', hubs: () => hubs });
  expect(place(known('one'), known('two'))).toMatchObject({ hub: 'two:4747', number: 2, hubs: 2 });
  expect(place(known('one'))).toMatchObject({ hub: 'two', number: 2, hubs: 2 });
  expect(place()).toMatchObject({ number: 1, hubs: 1 });
});

test('an ephemeral hub says that nothing is kept', () => {
  expect(banner({ ...LISTENING, isEphemeral: true })).toContain(
    'Data      /srv/hub\n            Nothing is kept: the data is deleted when the hub stops.\n',
  );
  expect(banner(LISTENING)).not.toContain('Nothing is kept');
});

const TLS = { tls_cert: '/cert.pem' };

test.each([
  ['127.0.0.1', {}, 'http://127.0.0.1:4747', ['http://127.0.0.1:4747']],
  ['::1', {}, 'http://[::1]:4747', ['http://[::1]:4747']],
  ['hub.example', TLS, 'https://hub.example:4747', ['https://hub.example:4747']],
  ['0.0.0.0', TLS, 'https://127.0.0.1:4747', expect.arrayContaining(['https://localhost:4747'])],
  ['::', {}, 'http://[::1]:4747', expect.arrayContaining(['http://localhost:4747'])],
])('a hub on %s %j is reached at %s', (host, tls, local, clickable) => {
  const config = { host, port: 4747, tls_cert: undefined, ...tls };
  expect(localUrl(config)).toBe(local);
  expect(clickableUrls(config)).toEqual(clickable);
});
