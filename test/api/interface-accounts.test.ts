// The account, network and token endpoints.

import { ACCOUNT_ENDPOINTS } from './interface/rest/account-endpoints.ts';
import { endpointTests } from './interface/rest/endpoint-tests.ts';
import { withFixture } from './interface/shared-fixture.ts';

withFixture('accounts, networks and tokens', (fixture) => endpointTests(fixture, ACCOUNT_ENDPOINTS));
