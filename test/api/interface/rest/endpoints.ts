// Every REST endpoint: authorization, every request member with its rule, and every response member.
import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import type { EndpointRows } from './endpoint-row.ts';
import { NOTIFIER_ENDPOINTS } from './notifier-endpoints.ts';
import { WORK_ENDPOINTS } from './work-endpoints.ts';

export const ENDPOINT_ROWS: EndpointRows = { ...ACCOUNT_ENDPOINTS, ...NOTIFIER_ENDPOINTS, ...WORK_ENDPOINTS };
