// Installs the tested clients into dist/ on first use: 2 GB that nothing else needs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../../build/step.ts';

/** `claude-plugin` is Claude Code with the plugin instead of the configuration of a project. */
export type ClientName = 'claude' | 'claude-plugin' | 'codex' | 'gemini' | 'qwen' | 'copilot' | 'opencode';

/**
 * `main` is the script that Node runs, so that no install script of a package has to run; `native` is a program in
 * another package, for this system. `command` is its name in a shell.
 */
export type Package = { title: string; command: string; name: string; version: string } & (
  | { main: string }
  | { native: string }
);

const CLAUDE: Package = {
  title: 'Claude Code',
  command: 'claude',
  name: '@anthropic-ai/claude-code',
  version: '2.1.328',
  main: 'cli-wrapper.cjs',
};

export const PACKAGES: Readonly<Record<ClientName, Package>> = {
  claude: CLAUDE,
  'claude-plugin': { ...CLAUDE, title: 'Claude Code, plugin' },
  codex: { title: 'Codex CLI', command: 'codex', name: '@openai/codex', version: '0.169.0', main: 'bin/codex.js' },
  gemini: {
    title: 'Gemini CLI',
    command: 'gemini',
    name: '@google/gemini-cli',
    version: '0.61.0',
    main: 'bundle/gemini.js',
  },
  qwen: { title: 'Qwen Code', command: 'qwen', name: '@qwen-code/qwen-code', version: '0.24.4', main: 'cli-entry.js' },
  copilot: {
    title: 'Copilot CLI',
    command: 'copilot',
    name: '@github/copilot',
    version: '1.0.102',
    main: 'npm-loader.js',
  },
  opencode: {
    title: 'OpenCode',
    command: 'opencode',
    name: 'opencode-ai',
    version: '1.18.33',
    native: `opencode-${process.platform}-${process.arch}/bin/opencode`,
  },
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
