// The account, network and token endpoints.
import { onStage } from './interface/on-stage.ts';
import { ACCOUNT_ENDPOINTS } from './interface/rest/account-endpoints.ts';
import { endpointTests } from './interface/rest/endpoint-tests.ts';

onStage('the interface of accounts', (stage) => endpointTests(stage, ACCOUNT_ENDPOINTS));
