// The endpoints of accounts, networks and tokens.
import { ACCOUNT_ENDPOINTS } from './interface/account-endpoints.ts';
import { endpointTests } from './interface/endpoint-tests.ts';
import { onStage } from './interface/on-stage.ts';

onStage('the interface of accounts', (stage) => endpointTests(stage, ACCOUNT_ENDPOINTS));
