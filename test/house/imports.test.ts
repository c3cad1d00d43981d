// Which folder may import which: the table below lists what is allowed, and every import is checked against it.
import { expect, test } from 'vitest';
import { importsOf, isCode, type SourceFile, sourceFiles, targetOf, withoutComments } from '../support/source-files.ts';

type Allowed = { folders: readonly string[]; packages: readonly string[] };

/** All of the server may import `node:` modules, and every folder its own files. */
const ALLOWED: Record<string, Allowed> = {
  domain: { folders: [], packages: ['valibot'] },
  store: { folders: ['domain'], packages: ['@libsql/client'] },
  events: { folders: ['domain'], packages: [] },
  outgoing: { folders: ['domain'], packages: [] },
  native: { folders: ['domain'], packages: [] },
  operations: { folders: ['domain', 'store', 'events', 'hub'], packages: ['valibot'] },
  sweeps: { folders: ['domain', 'store', 'events', 'hub'], packages: [] },
  mcp: { folders: ['operations', 'domain', 'hub'], packages: ['valibot', '@valibot/to-json-schema'] },
  http: {
    folders: ['operations', 'mcp', 'events', 'domain', 'hub'],
    packages: [
      'koa',
      '@koa/router',
      'koa-bodyparser',
      'koa-ratelimit',
      'koa-ratelimit/limiter/memory.js',
      'prom-client',
      'valibot',
      '@valibot/to-json-schema',
    ],
  },
  serve: {
    folders: [
      'domain',
      'store',
      'events',
      'native',
      'operations',
      'sweeps',
      'mcp',
      'http',
      'hub',
      'open-hub',
      'config',
      'version',
    ],
    packages: ['pino', 'pino-pretty'],
  },
  cli: {
    folders: ['domain', 'store', 'native', 'operations', 'serve', 'cli/client', 'hub', 'open-hub', 'config', 'version'],
    packages: ['commander', 'valibot'],
  },
  'cli/client': { folders: ['domain', 'cli', 'cli/worker', 'cli/hooks', 'version'], packages: ['valibot'] },
  'cli/hooks': { folders: ['domain', 'cli', 'cli/client', 'cli/connect', 'version'], packages: [] },
  'cli/worker': { folders: ['domain', 'cli', 'cli/client', 'config', 'version'], packages: [] },
  'cli/connect': { folders: ['domain', 'cli', 'cli/client', 'version'], packages: ['jsonc-parser', 'smol-toml'] },
  hub: { folders: ['domain', 'events', 'store', 'outgoing'], packages: [] },
  'open-hub': { folders: ['hub', 'domain', 'events', 'store', 'outgoing'], packages: [] },
  config: { folders: ['domain', 'hub'], packages: [] },
  main: { folders: ['cli'], packages: [] },
  version: { folders: [], packages: [] },
};

/** Exceptions for single files: this file may also import this target. */
const EXCEPTIONS: readonly (readonly [file: RegExp, target: string])[] = [
  [/^server\/native\/password-worker\.ts$/, 'bcryptjs'],
  [/^server\/store\/engine\/libsql\/(connection|statements|commits)\.ts$/, 'libsql'],
  [/^server\/store\/engine\/libsql\/(checkpoints|commits)\.ts$/, 'libsql/promise'],
  [/^server\/store\/engine\/postgres\//, 'pg'],
  [/^server\/sweeps\//, 'server/operations/expiry.ts'],
  [/^server\/sweeps\//, 'server/operations/sessions/presence.ts'],
  [/^server\/sweeps\//, 'server/operations/messages/broadcast.ts'],
  [/^server\/sweeps\//, 'server/operations/agents/rename.ts'],
  [/^server\/sweeps\//, 'server/operations/write-behind.ts'],
  [/^server\/sweeps\//, 'server/operations/portion-size.ts'],
  [/^server\/sweeps\//, 'server/operations/retention.ts'],
  [/^server\/sweeps\//, 'server/operations/notifiers/notice-needs.ts'],
  [/^server\/sweeps\//, 'server/operations/notifiers/notice-abandoned-tasks.ts'],
  [/^server\/sweeps\//, 'server/operations/notifiers/notice-stuck-agents.ts'],
  [/^server\/sweeps\//, 'server/operations/notifiers/deliver.ts'],
  [/^server\/open-hub\.ts$/, 'server/operations/access/watch-access.ts'],
  [/^server\/open-hub\.ts$/, 'server/operations/expiry.ts'],
  [/^server\/open-hub\.ts$/, 'server/operations/messages/broadcast.ts'],
  [/^server\/hub\.ts$/, 'server/native/passwords.ts'],
  [/^server\/version\.ts$/, 'package.json'],
];

/** The server modules that the console imports at run time. */
const PURE_TABLES = new Set([
  'server/domain/accounts/user.ts',
  ...['claude', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'qwen', 'setup', 'vscode', 'wake-sentences'].map(
    (name) => `server/domain/clients/${name}.ts`,
  ),
  'server/domain/limits.ts',
  'server/domain/network.ts',
  'server/domain/notifiers/choices.ts',
  'server/domain/notifiers/problems.ts',
  'server/domain/stuck.ts',
  'server/domain/task-status.ts',
  'server/domain/text/controls.ts',
  'server/domain/text/markup.ts',
  'server/domain/text/shell-word.ts',
]);

const CONSOLE_PACKAGES = ['preact', '@preact/signals', 'preact-iso', 'uplot', 'marked', 'sugar-high'];

/** Which folders the code outside of the product may import. Only trials may use test fixtures. */
const OUTSIDE_OF_PRODUCT: readonly (readonly [folder: string, may: readonly string[]])[] = [
  ['build/', ['build/', 'server/']],
  ['scripts/trust/', ['scripts/', 'build/', 'server/', 'test/support/', 'test/stories/', 'test/api/']],
  ['scripts/', ['scripts/', 'build/', 'server/', 'console/']],
  ['test/support/', ['test/support/', 'scripts/', 'build/', 'server/', 'console/']],
  ['test/', ['test/', 'scripts/', 'build/', 'server/', 'console/']],
];

/** This file, whose samples are forbidden imports. */
const SAMPLES = 'test/house/imports.test.ts';

function forbiddenImportsOf(file: SourceFile): string[] {
  const forbidden = importsOf(file.text).filter(({ from, isType }) => !mayImport(file.path, from, isType));
  return forbidden.map(({ from }) => `${file.path} → ${from}`);
}

function mayImport(path: string, from: string, isType: boolean): boolean {
  const target = targetOf(path, from);
  if (EXCEPTIONS.some(([file, allowed]) => file.test(path) && allowed === (target ?? from))) return true;
  if (path.startsWith('console/')) return mayConsoleImport(from, target, isType);
  const outside = OUTSIDE_OF_PRODUCT.find(([folder]) => path.startsWith(folder));
  if (outside !== undefined)
    return target === undefined || isConfiguration(target) || outside[1].some((folder) => target.startsWith(folder));
  const allowed = ALLOWED[folderOf(path)];
  if (allowed === undefined) return false;
  if (target === undefined) return from.startsWith('node:') || allowed.packages.includes(from);
  return (
    target.startsWith('server/') && (folderOf(target) === folderOf(path) || allowed.folders.includes(folderOf(target)))
  );
}

const isConfiguration = (target: string): boolean => /^[\w-]+\.json$/.test(target);

function mayConsoleImport(from: string, target: string | undefined, isType: boolean): boolean {
  if (target === undefined) return CONSOLE_PACKAGES.some((name) => from === name || from.startsWith(`${name}/`));
  return target.startsWith('console/') || PURE_TABLES.has(target) || (isType && target.startsWith('server/domain/'));
}

/**
 * `server/domain/task.ts` is in `domain`, `server/cli/client/send.ts` in `cli/client`, and `server/hub.ts` in `hub`.
 */
function folderOf(path: string): string {
  const [, allowed = '', inner = ''] = path.split('/');
  const nested = `${allowed}/${inner}`;
  return nested in ALLOWED ? nested : allowed.replace(/\.ts$/, '');
}

test('every file of the server is in a listed folder', () => {
  const unlisted = sourceFiles('server')
    .filter(isCode)
    .filter(({ path }) => ALLOWED[folderOf(path)] === undefined);
  expect(unlisted.map(({ path }) => path)).toEqual([]);
});

test('every import is allowed', () => {
  const files = sourceFiles('server', 'console', 'build', 'scripts', 'test')
    .filter(isCode)
    .filter(({ path }) => path !== SAMPLES);
  expect(files.length).toBeGreaterThan(50);
  expect(files.flatMap(forbiddenImportsOf)).toEqual([]);
});

test.each([
  ['server/domain/x.ts', "import { find } from '../store/tasks.ts';"],
  ['server/domain/x.ts', "import type { Hub } from '../hub.ts';"],
  ['server/domain/x.ts', "import Koa from 'koa';"],
  ['server/store/x.ts', "import { perform } from '../operations/operation.ts';"],
  ['server/events/x.ts', "import * as tasks from '../store/tasks.ts';"],
  ['server/operations/tasks/x.ts', "import type { Context } from 'koa';"],
  ['server/operations/tasks/x.ts', "import { createClient } from '@libsql/client';"],
  ['server/operations/tasks/x.ts', "import { openPasswords } from '../../native/passwords.ts';"],
  ['server/operations/tasks/x.ts', "export { app } from '../../http/app.ts';"],
  ['server/sweeps/x.ts', "import pino from 'pino';"],
  ['server/sweeps/x.ts', "import { sendTask } from '../operations/tasks/send-task.ts';"],
  ['server/mcp/x.ts', "import * as tasks from '../store/tasks.ts';"],
  ['server/http/x.ts', "import {\n  find,\n} from '../store/tasks.ts';"],
  ['server/http/x.ts', "import 'bcryptjs';"],
  ['server/cli/x.ts', "import { restHandler } from '../http/rest.ts';"],
  ['server/serve/x.ts', "import { say } from '../cli/output.ts';"],
  ['server/cli/client/x.ts', "import { openDatabase } from '../../store/engine/database.ts';"],
  ['server/cli/worker/x.ts', "import { start } from '../../serve/start.ts';"],
  ['server/cli/x.ts', "const koa = await import('koa');"],
  ['server/open-hub.ts', "import { sendTask } from './operations/tasks/send-task.ts';"],
  ['console/x.ts', "import { timestamp } from '../server/domain/time.ts';"],
  ['console/x.ts', "import type { Hub } from '../server/hub.ts';"],
  ['console/tasks/x.tsx', "import fs from 'node:fs';"],
  ['build/x.ts', "import { checkStyle } from '../scripts/style.ts';"],
  ['scripts/seed.ts', "import { openTestHub } from '../test/support/test-hub.ts';"],
  ['test/support/x.ts', "import { browser } from '../console/fixture.ts';"],
  ['server/hub.ts', "import { openTestHub } from '../test/support/test-hub.ts';"],
  ['server/elsewhere/x.ts', "import { a } from './a.ts';"],
])('a forbidden import of %s is detected: %s', (path, text) => {
  expect(forbiddenImportsOf({ path, text })).toHaveLength(1);
});

test.each([
  ['server/domain/x.ts', "import { createHash } from 'node:crypto';"],
  ['server/operations/tasks/x.ts', "import * as tasks from '../../store/tasks.ts';"],
  ['server/serve/serve.ts', "import { createApp } from '../http/app.ts';"],
  ['console/tasks/x.tsx', "import type { Task } from '../../server/domain/task.ts';"],
  ['scripts/trust/access/x.ts', "import { startHub } from '../../../test/support/process/running-hub.ts';"],
  ['server/domain/x.ts', "// import { find } from '../store/tasks.ts';"],
])('an allowed import of %s is accepted: %s', (path, text) => {
  expect(forbiddenImportsOf({ path, text })).toEqual([]);
});

/**
 * The files of operations that reach the whole database: they run before the caller is known, or without a caller.
 * All others read and write through the context of their operation, which counts for the caller and, in a write, checks
 * the caller's access again.
 */
const WITH_WHOLE_STORE = new Set([
  'server/operations/access/authorize.ts',
  'server/operations/access/watch-access.ts',
  'server/operations/accounts/bootstrap-admin.ts',
  'server/operations/expiry.ts',
  'server/operations/messages/broadcast.ts',
  'server/operations/notifiers/deliver.ts',
  'server/operations/notifiers/notice-needs.ts',
  'server/operations/notifiers/notice-abandoned-tasks.ts',
  'server/operations/notifiers/notice-stuck-agents.ts',
  'server/operations/notifiers/queue-needs.ts',
  'server/operations/notifiers/readers.ts',
  'server/operations/notifiers/subscriptions.ts',
  'server/operations/operation.ts',
  'server/operations/retention.ts',
  'server/operations/tokens/identify.ts',
  'server/operations/write-behind.ts',
]);

const reachesWholeStore = ({ path, text }: SourceFile): boolean =>
  path.startsWith('server/operations/') &&
  !path.startsWith('server/operations/operator/') &&
  /\bhub\.store\b|\{[^{}]*\bstore\b[^{}]*\}: (Pick<)?Hub\b/.test(withoutComments(text));

test('an operation reads and writes only on behalf of its caller', () => {
  const found = sourceFiles('server/operations').filter(isCode).filter(reachesWholeStore);
  expect(new Set(found.map(({ path }) => path))).toEqual(WITH_WHOLE_STORE);
});

test.each([
  'run: (hub, caller) => hub.store.write(async (tx) => {}),',
  'function list({ store }: Hub) {}',
  "const size = ({ log, store }: Pick<Hub, 'store' | 'log'>) => store.sizes();",
])('one that reads the whole store is detected: %s', (text) => {
  expect(reachesWholeStore({ path: 'server/operations/tasks/x.ts', text })).toBe(true);
});
