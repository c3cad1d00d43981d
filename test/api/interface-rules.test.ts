// Rules for every request: authorization, errors, rate limits and events.
import { AUTHENTICATION_ROWS } from './interface/authentication.ts';
import { ERROR_ROWS } from './interface/errors.ts';
import { EVENT_ROWS } from './interface/events.ts';
import { LIMIT_ROWS } from './interface/limits.ts';
import { REST_ROWS } from './interface/rest/rest-rules.ts';
import { rowTests } from './interface/row-tests.ts';
import { withFixture } from './interface/shared-fixture.ts';

withFixture('the rules of the interface', (fixture) => {
  rowTests(fixture, {
    'REST rules': REST_ROWS,
    authentication: AUTHENTICATION_ROWS,
    events: EVENT_ROWS,
    errors: ERROR_ROWS,
    limits: LIMIT_ROWS,
  });
});
