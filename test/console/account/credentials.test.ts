import { beforeAll, describe, expect, test } from 'vitest';
import { formErrors, refusalErrors } from '../../../console/account/credentials.ts';
import { en } from '../../../console/i18n/en.ts';
import { loadLanguage } from '../../../console/i18n/language.ts';
import { RequestError } from '../../../console/live/request.ts';

beforeAll(loadLanguage);

const errors = (username: string, password: string, creating = true) =>
  formErrors({ username, password }, creating, en.errors);

describe('a new account', () => {
  test.each(['ada', 'Ada_99', '李四', 'x'.repeat(50)])('accepts the username %s', (username) => {
    expect(errors(username, 'secret')).toEqual({});
  });

  test.each(['x', 'x'.repeat(51), 'a b', 'ada@home', 'añejo', '🙂🙂'])('rejects the username %s', (username) => {
    expect(errors(username, 'secret')).toEqual({ username: en.errors.usernameRule(2, 50) });
  });

  test('needs a password of 6 to 256 code points', () => {
    expect(errors('ada', '12345')).toEqual({ password: en.errors.tooShort(6) });
    expect(errors('ada', '🙂🙂🙂🙂🙂')).toEqual({ password: en.errors.tooShort(6) });
    expect(errors('ada', '🙂'.repeat(256))).toEqual({});
    expect(errors('ada', 'x'.repeat(257))).toEqual({ password: en.errors.tooLong(256) });
  });
});

test('sign-in requires a username and password but applies no rules to them', () => {
  expect(errors('', '', false)).toEqual({ username: en.errors.usernameMissing, password: en.errors.passwordMissing });
  expect(errors('a b', '1', false)).toEqual({});
});

describe('a rejected request', () => {
  test.each([
    [400, 'username_taken', 'the username ada is taken', { username: en.errors.usernameTaken }],
    [403, 'setup_token_required', '…', { setup: en.errors.setupToken }],
    [403, 'setup_token_expired', '…', { setup: en.errors.setupExpired }],
    [401, 'invalid_credentials', '…', { form: en.errors.credentials }],
    [0, 'unreachable', '…', { form: en.errors.unreachable }],
    [
      400,
      'invalid_request',
      'password must have at least 6 characters',
      { password: en.errors.other('password must have at least 6 characters') },
    ],
    [418, 'constructor', 'a teapot', { form: en.errors.other('a teapot') }],
  ])('%i %s stands where it belongs', (status, code, message, expected) => {
    expect(refusalErrors(new RequestError(status, code, message))).toEqual(expected);
  });

  test('for a rate limit shows the wait time', () => {
    expect(refusalErrors(new RequestError(429, 'rate_limited', '…', 42))).toEqual({ form: en.errors.rateLimited(42) });
  });
});
