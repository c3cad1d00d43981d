// The errors of a hub name tools for agents. The command line replaces them with commands.
import { expect, test } from 'vitest';
import { HubRefused } from '../../../server/cli/client/hub-client.ts';
import * as errors from '../../../server/domain/errors.ts';
import { HubError } from '../../../server/domain/errors.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';

const NAMES = TOOLS.map(({ operation }) => operation.name).filter((name) => name.includes('_'));

const ERRORS = Object.entries(errors).flatMap(([name, maker]) => {
  if (!/^[a-z]/.test(name)) return [];
  const made: unknown = Reflect.apply(maker, undefined, ['X', 'X']);
  return made instanceof HubError ? [{ name, made }] : [];
});

test.each(ERRORS)('$name', ({ made }) => {
  const { message } = new HubRefused(400, made.code, made.message);
  expect(NAMES.filter((name) => message.includes(name))).toEqual([]);
});

test.each([
  ['task not found', errors.taskNotFound(), '`agenthub tasks` shows the ids'],
  ['session not found', errors.sessionNotFound('bob'), '`agenthub status` lists the aliases'],
  ['message not found or not yours', errors.messageNotFound(), '`agenthub inbox` lists them'],
])('%s', (code, made, remedy) => {
  expect(made.message, 'messages for agents name tools').not.toContain('agenthub');
  expect(new HubRefused(404, code, made.message).message).toContain(remedy);
});
