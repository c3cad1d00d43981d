// Every REST endpoint: who may, every member of the request with its rule, every member of the answer.
import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import type { EndpointRows } from './endpoint-row.ts';
import { WORK_ENDPOINTS } from './work-endpoints.ts';

export const ENDPOINT_ROWS: EndpointRows = { ...ACCOUNT_ENDPOINTS, ...WORK_ENDPOINTS };
