// Which addresses count as one client, and when a hub is public.
import { expect, test } from 'vitest';
import { clientKey, isOpenToOthers } from '../../server/domain/addresses.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:5678', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::5:6:7:8', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['', 'unknown'],
  ['hub', 'unknown'],
  ['192.0.2.256', 'unknown'],
  ['2001:db8', 'unknown'],
  ['x'.repeat(4_000), 'unknown'],
])('%s counts as %s', (address, key) => {
  expect(clientKey(address)).toBe(key);
});

const HERE = { host: '127.0.0.1', public_url: undefined, trust_proxy: 0, allowed_hosts: [], allowed_origins: [] };

test.each<[settings: Partial<Parameters<typeof isOpenToOthers>[0]>, isOpen: boolean]>([
  [{}, false],
  [{ host: 'localhost' }, false],
  [{ host: '127.0.0.2' }, false],
  [{ host: '::1', public_url: 'http://localhost:8080' }, false],
  [{ public_url: 'http://[::1]:80' }, false],
  [{ allowed_hosts: ['hub.localhost', '[::1]:4747', 'localhost:80', 'LOCALHOST.'] }, false],
  [{ host: '0.0.0.0' }, true],
  [{ host: '::' }, true],
  [{ host: '192.0.2.1' }, true],
  [{ host: '127.example.org' }, true],
  [{ public_url: 'https://hub.example' }, true],
  [{ trust_proxy: 1 }, true],
  [{ allowed_hosts: ['localhost', 'hub.lan:4747'] }, true],
  [{ allowed_origins: ['http://localhost:3000', 'http://[::1]:80', 'vscode-webview://localhost'] }, false],
  [{ allowed_origins: ['http://localhost:3000', 'https://pages.example'] }, true],
])('others can reach a hub with %j: %s', (settings, isOpen) => {
  expect(isOpenToOthers({ ...HERE, ...settings })).toBe(isOpen);
});
