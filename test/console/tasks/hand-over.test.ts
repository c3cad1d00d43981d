import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { beginSession } from '../../../console/account/account.ts';
import { hubTime } from '../../../console/live/clock.ts';
import { stampOf } from '../../../console/parts/format.ts';
import { handOver } from '../../../console/tasks/hand-over.ts';
import type { TaskStatus } from '../../../server/domain/task-status.ts';

const USER = { user_id: 'usr_1', username: 'ada', display_name: 'Ada', role: 'user' } as const;

let requests: unknown[];

beforeEach(() => {
  requests = [];
  vi.stubGlobal('fetch', async (path: string, { body }: RequestInit) => {
    requests.push([path, JSON.parse(String(body)).new_alias]);
    return new Response('{"ok":true}');
  });
  beginSession({ token: 'utok_x', user: USER, network_id: 'net_1' }, false);
});
afterEach(() => vi.unstubAllGlobals());

const [REASSIGNED, CANCELLED, RETRIED] = [
  ['/api/tasks/t/reassign', 'bob'],
  ['/api/tasks/t/cancel', undefined],
  ['/api/tasks/t/retry', 'bob'],
];

// Reassigning keeps the expiry, so a task that is past it would expire before bob can start it.
test.each<[TaskStatus, minutes: number, requests: unknown[]]>([
  ['running', 10, [REASSIGNED]],
  ['delivered', 10, [REASSIGNED]],
  ['running', -1, [CANCELLED, RETRIED]],
  ['failed', -1, [RETRIED]],
  ['expired', -1, [RETRIED]],
])('a task that is %s and has %i minutes left', async (status, minutes, wanted) => {
  const expires_at = stampOf(hubTime() + minutes * 60_000);
  await handOver({ task_id: 't', network_id: 'net_1', status, expires_at }, 'bob');
  expect(requests).toEqual(wanted);
});
