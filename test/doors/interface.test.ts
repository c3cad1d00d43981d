// The interface, row by row: every line of its tables and every addition of decisions.md that a client can see, over HTTP
// against a real hub. The rows are data in interface/.
import { afterAll, beforeAll, describe } from 'vitest';
import { onePlay } from '../support/running-hub.ts';
import { AUTHENTICATION_ROWS } from './interface/authentication.ts';
import { endpointTests } from './interface/endpoint-tests.ts';
import { ERROR_ROWS } from './interface/errors.ts';
import { EVENT_ROWS } from './interface/events.ts';
import { LIMIT_ROWS } from './interface/limits.ts';
import { MOVE_ROWS } from './interface/moves.ts';
import { NETWORK_DECISION_ROWS } from './interface/network-decisions.ts';
import { RESOURCE_ROWS } from './interface/resources.ts';
import { REST_DECISION_ROWS } from './interface/rest-decisions.ts';
import { REST_ROWS } from './interface/rest-rules.ts';
import { rowTests, type Row } from './interface/row-tests.ts';
import { openStage, type Stage } from './interface/stage.ts';
import { TOOL_RULE_ROWS } from './interface/tool-rules.ts';
import { toolTests } from './interface/tool-tests.ts';
import { WATCHING_ROWS } from './interface/watching.ts';
import { WORK_DECISION_ROWS } from './interface/work-decisions.ts';

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'resources, states': RESOURCE_ROWS,
  moves: MOVE_ROWS,
  'REST rules': REST_ROWS,
  'tool rules': TOOL_RULE_ROWS,
  authentication: AUTHENTICATION_ROWS,
  events: EVENT_ROWS,
  errors: ERROR_ROWS,
  limits: LIMIT_ROWS,
  'accounts and networks': NETWORK_DECISION_ROWS,
  'sessions, tasks, inbox': WORK_DECISION_ROWS,
  'lists and bodies': REST_DECISION_ROWS,
  watching: WATCHING_ROWS,
};

onePlay('the interface', (target) => {
  const tidying: (() => Promise<void>)[] = [];
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(target, (tidy) => void tidying.unshift(tidy));
  });

  afterAll(async () => {
    for (const tidy of tidying) await tidy();
  });

  describe('endpoints', () => endpointTests(() => stage));
  describe('tools', () => toolTests(() => stage));
  for (const [title, rows] of Object.entries(TABLES)) describe(title, () => rowTests(() => stage, rows));
});
