// agenthub.json in the data directory: below flags and environment, above the defaults, and refused when it is wrong.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

function dataWith(text: string): string {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'agenthub.json'), text);
  return data;
}

const FILE = JSON.stringify({ port: 8080, offline_after_seconds: 900, allowed_hosts: ['hub.example', 'other.example'] });

test('the flag wins, then the environment, then the file, then the default', () => {
  const data = dataWith(FILE);
  expect(readConfig({ flags: { data }, env: {} })).toMatchObject({
    port: 8080, offline_after_seconds: 900, allowed_hosts: ['hub.example', 'other.example'], heartbeat_seconds: 30,
  });
  expect(readConfig({ flags: { data }, env: { AGENTHUB_PORT: '8081' } }).port).toBe(8081);
  expect(readConfig({ flags: { data, port: '8082' }, env: { AGENTHUB_PORT: '8081' } }).port).toBe(8082);
});

describe('a file that is wrong stops the start and says what is', () => {
  test.each([
    ['no JSON', '{', 'cannot be read'],
    ['a list', '[]', 'must hold one JSON object'],
    ['an unknown key', '{"prot": 1}', 'has prot, which is no key it takes'],
    ['the data directory itself', '{"data": "/elsewhere"}', 'has data, which is no key it takes'],
    ['a wrong value', '{"port": "many"}', 'port in agenthub.json is "many" but must be a whole number from 0 to 65535'],
  ])('%s', (_, text, complaint) => {
    expect(() => readConfig({ flags: { data: dataWith(text) }, env: {} })).toThrow(complaint);
  });
});
