import { describe, expect, test } from 'vitest';
import { agentPath, aliasIn, nextPath, ROUTES, signInPath, tasksPath } from '../../console/routes.ts';

describe('addresses', () => {
  test('carry the filters that are set', () => {
    expect(tasksPath()).toBe('/tasks');
    expect(tasksPath({ status: 'failed', to: undefined, text: 'a&b' })).toBe('/tasks?status=failed&text=a%26b');
    expect(agentPath('小明 1/2')).toBe('/agents/%E5%B0%8F%E6%98%8E%201%2F2');
  });

  test.each(['.', '..', '~..', '~', '...', 'a/..', '小明 %2e', ' .'])(
    'of an agent lead back to it, whatever it is called: %j',
    (alias) => {
      const [, page, segment = ''] = new URL(agentPath(alias), 'http://hub').pathname.split('/');
      expect([page, aliasIn(decodeURIComponent(segment))]).toEqual(['agents', alias]);
    },
  );

  test('belong to one page each, with unique keys', () => {
    const keys = ROUTES.flatMap(({ key }) => key ?? []);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(ROUTES.map(({ path }) => path)).size).toBe(ROUTES.length);
  });

  test('of the sign-in page keep the requested page', () => {
    expect(signInPath('/sign-in', '/tasks?status=failed')).toBe('/sign-in?next=%2Ftasks%3Fstatus%3Dfailed');
    expect(signInPath('/sign-in', '/')).toBe('/sign-in');
    expect(nextPath('/tasks?status=failed')).toBe('/tasks?status=failed');
  });

  test.each([
    undefined,
    '',
    'https://elsewhere.example',
    '//elsewhere.example',
    '/\\elsewhere.example',
    'javascript:alert(1)',
  ])('never lead out of the console: %j', (wanted) => expect(nextPath(wanted)).toBe('/'));
});
