import { describe, expect, test } from 'vitest';
import { livePath, nextPath, signInPath } from '../../console/routes.ts';

describe('addresses', () => {
  test('carry the filters that are set', () => {
    expect(livePath()).toBe('/');
    expect(livePath({ agents: 'working', tasks: 'failed' })).toBe('/?agents=working&tasks=failed');
    expect(livePath({ agents: undefined, tasks: 'failed' })).toBe('/?tasks=failed');
  });

  test('of the door remember where the person was going', () => {
    expect(signInPath('/sign-in', '/?tasks=failed')).toBe('/sign-in?next=%2F%3Ftasks%3Dfailed');
    expect(signInPath('/sign-in', '/')).toBe('/sign-in');
    expect(nextPath('/?tasks=failed')).toBe('/?tasks=failed');
  });

  test.each([undefined, '', 'https://elsewhere.example', '//elsewhere.example', '/\\elsewhere.example', 'javascript:alert(1)'])(
    'never lead out of the console: %j',
    (wanted) => expect(nextPath(wanted)).toBe('/'),
  );
});
