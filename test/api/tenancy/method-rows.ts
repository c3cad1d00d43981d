// One row for every other MCP method that returns at once.

import type { Objects } from './fixture.ts';
import type { Row } from './rows.ts';

export type MethodRow = Row & { params: (objects: Objects) => object; isModern?: true };

const forEveryone = (params: object, more: Partial<MethodRow> = {}): MethodRow => ({
  pattern: 'method for every token',
  params: () => params,
  ...more,
});

export const METHOD_ROWS: readonly (readonly [method: string, title: string, row: MethodRow])[] = [
  ['initialize', '', forEveryone({ protocolVersion: '2025-06-18' })],
  ['ping', '', forEveryone({})],
  ['server/discover', '', forEveryone({}, { isModern: true })],
  ['tools/list', '', forEveryone({})],
  ['resources/list', '', forEveryone({})],
  ['resources/templates/list', '', forEveryone({})],
  ['prompts/list', '', forEveryone({})],
  ['prompts/get', '', forEveryone({ name: 'check_inbox', arguments: { alias: 'anybody' } })],

  [
    'resources/read',
    'of all agents',
    { pattern: 'method that reads', shows: true, params: () => ({ uri: 'hub://status' }) },
  ],
  [
    'resources/read',
    'of an inbox',
    {
      pattern: 'method that reads of an alias',
      marks: true,
      shows: true,
      params: ({ alias }) => ({ uri: `hub://inbox/${alias}` }),
    },
  ],
  [
    'completion/complete',
    'of an alias',
    {
      pattern: 'method that reads',
      shows: true,
      params: () => ({ ref: { type: 'ref/prompt', name: 'check_inbox' }, argument: { name: 'alias', value: '' } }),
    },
  ],
];
