// The additions of SPECIFICATION.md to the interface.

import { WATCHING_ROWS } from './interface/monitoring.ts';
import { NETWORK_DECISION_ROWS } from './interface/network-decisions.ts';
import { REST_DECISION_ROWS } from './interface/rest/rest-decisions.ts';
import { rowTests } from './interface/row-tests.ts';
import { withFixture } from './interface/shared-fixture.ts';
import { WORK_DECISION_ROWS } from './interface/work-decisions.ts';

withFixture('the additions to the interface', (fixture) => {
  rowTests(fixture, {
    'accounts and networks': NETWORK_DECISION_ROWS,
    'sessions, tasks, inbox': WORK_DECISION_ROWS,
    'lists and bodies': REST_DECISION_ROWS,
    watching: WATCHING_ROWS,
  });
});
