// The limits and defaults of the interface, repeated here from its text, so that an error in the schemas fails a test.
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { ROUTES } from '../../../server/http/routes.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import { membersOf } from '../../support/store/schema-members.ts';

const OPERATIONS = [...ROUTES.map(([, , operation]) => operation), ...TOOLS.map(({ operation }) => operation)];

const LIMITS: readonly [operation: string, member: string, least: number, most: number][] = [
  ['report_status', 'resume_id', 1, 200],
  ['report_status', 'alias', 1, 200],
  ['report_status', 'task', 0, 10_000],
  ['report_status', 'output', 0, 50_000],
  ['report_status', 'score', 1, 10],
  ['report_status', 'progress', 0, 100],
  ['report_completion', 'result', 0, 50_000],
  ['report_completion', 'artifacts', 0, 50],
  ['report_completion', 'score', 0, 10],
  ['get_inbox', 'limit', 1, 100],
  ['ack_inbox', 'response', 0, 10_000],
  ['send_task', 'task', 1, 10_000],
  ['send_task', 'context', 0, 10_000],
  ['send_task', 'ttl_seconds', 1, 86_400],
  ['send_message', 'message', 1, 10_000],
  ['send_reply', 'text', 1, 10_000],
  ['cancel_task', 'reason', 0, 1_000],
  ['list_tasks', 'limit', 1, 100],
  ['query_tasks', 'limit', 1, 500],
  ['register', 'username', 2, 50],
  ['register', 'password', 6, 256],
];

test.each(LIMITS)('%s %s: %i to %i', (name, memberName, least, most) => {
  expect(memberOf(name, memberName)).toMatchObject({ least, most });
});

const DEFAULTS: readonly [operation: string, member: string, value: unknown][] = [
  ['get_inbox', 'limit', 10],
  ['send_task', 'priority', 'normal'],
  ['send_task', 'from_session', 'hub'],
  ['send_task', 'ttl_seconds', 3_600],
  ['send_message', 'from_session', 'hub'],
  ['send_reply', 'status', 'replied'],
  ['send_reply', 'from_session', 'hub'],
  ['send_ack', 'from_session', 'hub'],
  ['list_tasks', 'limit', 20],
  ['query_tasks', 'limit', 50],
];

test.each(DEFAULTS)('%s %s defaults to %s', (name, memberName, value) => {
  const entry = operationCalled(name).input.entries[memberName];
  expect(v.safeParse(entry ?? v.never(), undefined)).toMatchObject({ success: true, output: value });
});

function memberOf(name: string, memberName: string) {
  return membersOf(operationCalled(name)).find((member) => member.name === memberName);
}

function operationCalled(name: string) {
  const found = OPERATIONS.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`neither a tool nor a route is ${name}`);
  return found;
}
