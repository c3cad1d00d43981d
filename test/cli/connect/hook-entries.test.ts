// The hooks in the settings of a person: those of agenthub are replaced and taken back, everything else stays.
import { describe, expect, test } from 'vitest';
import type { Added } from '../../../server/cli/client/access/connection-records.ts';
import { withHooks, withoutHooks } from '../../../server/cli/connect/hook-entries.ts';
import { additions, hashOf, ledgerOf } from '../../../server/cli/connect/ledger.ts';
import { CLAUDE } from '../../../server/domain/clients/claude.ts';
import type { HookSettings } from '../../../server/domain/clients/client.ts';
import { CODEX } from '../../../server/domain/clients/codex.ts';
import { COPILOT } from '../../../server/domain/clients/copilot.ts';
import { CURSOR } from '../../../server/domain/clients/cursor.ts';
import { GEMINI } from '../../../server/domain/clients/gemini.ts';
import { QWEN } from '../../../server/domain/clients/qwen.ts';
import { objectIn } from '../../support/json.ts';

const AGENT = { url: 'http://hub:4747', alias: 'builder', token: 'ntok_1', scope: 'project' } as const;
const { installation: CODEX_HOOKS } = CODEX.hooks;
const UNRECORDED = ledgerOf(undefined);

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const hooksIn = (text: string) => Object(objectIn(text)['hooks']);
const mine = (command: string) => ({ type: 'command', command });

const CLIENTS: readonly [client: string, settings: HookSettings][] = [
  ['Claude Code', CLAUDE.hooks.installation],
  ['Codex CLI', CODEX_HOOKS],
  ['Gemini CLI', GEMINI.hooks.installation],
  ['Qwen Code', QWEN.hooks.installation],
  ['Copilot CLI', COPILOT.hooks.installation],
  ['Cursor', CURSOR.hooks.installation],
];

describe.each(CLIENTS)('the settings of %s', (_client, settings) => {
  const before = json({
    version: 1,
    hooks: { Stop: [mine('echo mine')], stop: [mine('echo mine')] },
    permissions: { allow: ['Bash(ls)'] },
  });

  test('are the same after both', () => {
    const after = withHooks(before, settings, AGENT);
    const added = additions(JSON.parse(before), JSON.parse(after));
    const ledger = ledgerOf({ isCreated: false, added, token: hashOf(AGENT.token) });
    expect(withoutHooks(after, settings, AGENT.scope, ledger)).toBe(before);
  });

  test('do not change when the same hooks are written again', () => {
    const once = withHooks(before, settings, AGENT);
    expect(withHooks(once, settings, AGENT)).toBe(once);
  });

  test('have the hooks of one agent after another is connected', () => {
    const text = withHooks(withHooks(before, settings, { ...AGENT, alias: 'first' }), settings, AGENT);
    expect(text).toBe(withHooks(before, settings, AGENT));
  });
});

test('a handler that a person added to a group of agenthub stays, and that of agenthub does not run twice', () => {
  const { Stop } = hooksIn(withHooks('', CODEX_HOOKS, AGENT));
  const shared = json({ hooks: { Stop: [{ hooks: [mine('echo mine'), ...Stop[0].hooks] }] } });
  const again = hooksIn(withHooks(shared, CODEX_HOOKS, AGENT));
  expect(again.Stop).toEqual([{ hooks: [mine('echo mine')] }, ...Stop]);
  expect(hooksIn(withoutHooks(shared, CODEX_HOOKS, 'project', UNRECORDED))).toEqual({
    Stop: [{ hooks: [mine('echo mine')] }],
  });
});

test('hooks for events that are no longer used are removed', () => {
  const { Stop } = hooksIn(withHooks('', CODEX_HOOKS, AGENT));
  const text = withHooks(json({ hooks: { SubagentStop: Stop } }), CODEX_HOOKS, AGENT);
  expect(text).not.toContain('SubagentStop');
});

test.each([
  'my-hook run --alias builder --url http://hub:4747',
  'git wake --alias builder && echo done',
  'agenthub hook codex --alias builder | tee log',
  'echo agenthub hook codex --alias',
  'my-log.sh && agenthub wake --alias me',
  '/opt/wrap.sh agenthub hook codex --alias me --url http://x',
  'my-hook wake --alias me --url http://x',
  'node /opt/wrap.js hook codex --alias me --url http://x',
  'node mine.js; agenthub wake --alias me',
])('%j is not taken for a hook of agenthub', (command) => {
  const text = json({ hooks: { Stop: [{ hooks: [mine(command)] }] } });
  expect(withoutHooks(text, CODEX_HOOKS, 'user', UNRECORDED)).toBe(text);
});

test.each([
  'agenthub hook codex --alias builder',
  '/usr/local/bin/agenthub-0.1 wake --alias builder --url http://h',
  '/usr/bin/node --experimental-import-text /src/server/main.ts hook codex --alias builder --url http://h',
  "'/opt/my tools/agenthub' wake --exec 'codex queue --thread {session} --message {line}' --alias 'o'\\''neill' --url http://h",
])('%j is a hook of agenthub', (command) => {
  const text = json({ hooks: { Stop: [{ hooks: [mine(command)] }] }, model: 'x' });
  expect(withoutHooks(text, CODEX_HOOKS, 'user', UNRECORDED)).toBe(json({ model: 'x' }));
});

test('permissions and tokens stay unless it is recorded that connect wrote them', () => {
  const text = json({ permissions: { allow: ['mcp__hub'] }, env: { HUB_TOKEN: 'ntok_mine' } });
  const without = (token: string, added: Added[]) =>
    withoutHooks(
      text,
      CLAUDE.hooks.installation,
      'project',
      ledgerOf({ isCreated: false, added, token: hashOf(token) }),
    );
  const all = [{ path: ['permissions'] }, { path: ['env'] }];
  expect(withoutHooks(text, CLAUDE.hooks.installation, 'project', UNRECORDED)).toBe(text);
  expect(withoutHooks(text, QWEN.hooks.installation, 'user', ledgerOf({ isCreated: false, added: all }))).toBe(text);
  expect(without('ntok_mine', all)).toBe('{}\n');
  expect(without('ntok_other', all)).toBe(json({ env: { HUB_TOKEN: 'ntok_mine' } }));
  expect(without('ntok_mine', [])).toBe(text);
});
