// Installs the tested clients into dist/ on first use: 2 GB that nothing else needs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../../build/step.ts';
import type { Program } from '../../server/domain/clients/client.ts';
import { CLIENTS, type TestedName } from '../../server/domain/clients/clients.ts';

/** `claude-plugin` is Claude Code with the plugin instead of the configuration of a project. */
export type ClientName = TestedName | 'claude-plugin';

/**
 * `main` is the script that Node runs, so that no install script of a package has to run; `native` is a program in
 * another package, for this system.
 */
type Source = { name: string } & ({ main: string } | { native: string });

const SOURCES: Readonly<Record<TestedName, Source>> = {
  claude: { name: '@anthropic-ai/claude-code', main: 'cli-wrapper.cjs' },
  codex: { name: '@openai/codex', main: 'bin/codex.js' },
  gemini: { name: '@google/gemini-cli', main: 'bundle/gemini.js' },
  qwen: { name: '@qwen-code/qwen-code', main: 'cli-entry.js' },
  copilot: { name: '@github/copilot', main: 'npm-loader.js' },
  opencode: { name: 'opencode-ai', native: `opencode-${process.platform}-${process.arch}/bin/opencode` },
};

/** `command` is its name in a shell. */
export type Package = Program & Source & { title: string };

function packageOf(client: TestedName): Package {
  const { setup, program } = CLIENTS[client];
  return { title: setup.title, ...program, ...SOURCES[client] };
}

export const PACKAGES: Readonly<Record<ClientName, Package>> = {
  claude: packageOf('claude'),
  'claude-plugin': { ...packageOf('claude'), title: `${CLIENTS.claude.setup.title}, plugin` },
  codex: packageOf('codex'),
  gemini: packageOf('gemini'),
  qwen: packageOf('qwen'),
  copilot: packageOf('copilot'),
  opencode: packageOf('opencode'),
};

export function isClient(name: string): name is ClientName {
  return Object.hasOwn(PACKAGES, name);
}

const HOME = join(DIST, 'clients');

export function installClients(): void {
  const missing = Object.values(PACKAGES).filter((wanted) => installedVersion(wanted) !== wanted.version);
  if (missing.length === 0) return;
  mkdirSync(HOME, { recursive: true });
  const wanted = missing.map(({ name, version }) => `${name}@${version}`);
  const { status } = spawnSync(
    'npm',
    ['install', '--prefix', HOME, '--no-fund', '--no-audit', '--ignore-scripts', ...wanted],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error(`npm could not install ${wanted.join(' ')}`);
}

/** The words of a shell line that starts the client. */
export function programOf(client: Package, node: string): string[] {
  const place = (...path: string[]) => join(HOME, 'node_modules', ...path);
  return 'native' in client ? [place(client.native)] : [node, place(client.name, client.main)];
}

function installedVersion({ name }: Package): unknown {
  const file = join(HOME, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
