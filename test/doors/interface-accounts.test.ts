// The account, network and token endpoints.
import { withFixture } from './interface/on-stage.ts';
import { ACCOUNT_ENDPOINTS } from './interface/rest/account-endpoints.ts';
import { endpointTests } from './interface/rest/endpoint-tests.ts';

withFixture('the interface of accounts', (fixture) => endpointTests(fixture, ACCOUNT_ENDPOINTS));
