// The session, task, message and record endpoints, the tools, and the task transitions.
import { describe } from 'vitest';
import { RESOURCE_ROWS } from './interface/resources.ts';
import { endpointTests } from './interface/rest/endpoint-tests.ts';
import { WORK_ENDPOINTS } from './interface/rest/work-endpoints.ts';
import { rowTests } from './interface/row-tests.ts';
import { withFixture } from './interface/shared-fixture.ts';
import { TOOL_RULE_ROWS } from './interface/tool-rules.ts';
import { toolTests } from './interface/tool-tests.ts';
import { MOVE_ROWS } from './interface/transitions.ts';

withFixture('sessions, tasks and messages', (fixture) => {
  describe('endpoints', () => endpointTests(fixture, WORK_ENDPOINTS));
  describe('tools', () => toolTests(fixture));
  rowTests(fixture, { 'resources, states': RESOURCE_ROWS, transitions: MOVE_ROWS, 'tool rules': TOOL_RULE_ROWS });
});
