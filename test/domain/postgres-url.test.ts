import { expect, test } from 'vitest';
import {
  choosesEncryption,
  isOnThisMachine,
  isPostgresUrl,
  parameterProblem,
  serversOf,
  shownParts,
} from '../../server/domain/postgres-url.ts';

test.each([
  ['postgres://db.example.org/hub', true],
  ['postgresql://ada:p%40ss@db.example.org:5433/hub?sslmode=verify-full', true],
  ['postgres://ada@one:5432,two:5433,[::1]:5434/hub', true],
  ['postgres:///hub', false],
  ['postgres://db.example.org', false],
  ['postgres://db.example.org/', false],
  ['postgres://one,,two/hub', false],
  ['postgres://one:port,two/hub', false],
  ['postgres://ada:a@b/c@one:5432/hub', false],
  ['postgres://ada:a%40b%2Fc@one:5432/hub', true],
  ['mysql://db.example.org/hub', false],
  ['hub.db', false],
])('%s: %s', (text, expected) => {
  expect(isPostgresUrl(text)).toBe(expected);
});

test('each server has a URL with the other parts', () => {
  expect(serversOf('postgres://ada:a,b@one:5432,two/hub?sslmode=require')).toEqual([
    'postgres://ada:a,b@one:5432/hub?sslmode=require',
    'postgres://ada:a,b@two/hub?sslmode=require',
  ]);
});

test('the password is not shown', () => {
  expect(shownParts('postgres://ad%61:secret@one:5432,two/my%20hub')).toEqual({
    servers: 'one:5432, two',
    database: 'my hub',
    user: 'ada',
  });
});

test.each<[string, string | undefined]>([
  ['', undefined],
  ['?sslmode=verify-full&sslrootcert=/etc/ssl/root.crt', undefined],
  ['?sslmode=require&channel_binding=require', undefined], // as managed databases show it
  ['?sslmode=foo', 'a URL whose sslmode is one of disable, prefer, require, verify-ca, verify-full, no-verify'],
  ['?sslmode=', 'a URL whose sslmode is one of disable, prefer, require, verify-ca, verify-full, no-verify'],
  ['?sslnegotiation=now', 'a URL whose sslnegotiation is one of postgres, direct'],
  ['?sslrootcert=', 'a URL whose sslrootcert is not empty'],
  ['?sslmode=verify-full&sslmode=disable', 'a URL that has sslmode once'],
  ['?connect_timeout=5&connect_timeout=9', undefined], // has no effect
  ['?sslcert=/etc/ssl/hub.crt', 'a URL with both sslcert and sslkey, or neither'],
  ['?sslmode=verify-ca&sslkey=/etc/ssl/hub.key', 'a URL with both sslcert and sslkey, or neither'],
  ['?sslcert=/etc/ssl/hub.crt&sslkey=/etc/ssl/hub.key', undefined],
  [
    '?sslmod=verify-full',
    'a URL without the parameter sslmod; it may have sslmode, ssl, sslnegotiation, uselibpqcompat, sslrootcert, sslcert, sslkey, application_name',
  ],
  ['?constructor=x', expect.stringMatching(/^a URL without the parameter constructor; /)],
])('the parameters %s: %s', (parameters, problem) => {
  expect(parameterProblem(`postgres://ada:secret@one:5432,two/hub${parameters}`)).toEqual(problem);
});

test.each([
  ['postgres://db.example.org/hub', false, false],
  ['postgres://db.example.org/hub?application_name=two', false, false],
  ['postgres://one.example.org,two.example.org/hub?sslmode=disable', true, false],
  ['postgres://127.0.0.1,db.example.org/hub?ssl=true', true, false],
  ['postgres://localhost:5433/hub', false, true],
  ['postgres://127.0.0.1,[::1]:5434/hub', false, true],
])('%s says whether it is encrypted: %s, and is on this machine: %s', (url, isChosen, isHere) => {
  expect([choosesEncryption(url), isOnThisMachine(url)]).toEqual([isChosen, isHere]);
});
