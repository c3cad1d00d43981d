// Installs the tested clients into dist/ on first use: 860 MB that nothing else needs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../../build/step.ts';

export type ClientName = 'claude' | 'codex' | 'gemini';
export type Package = { title: string; name: string; version: string; main: string };

/** `main` is the script that Node runs, so that no install script of a package has to run. */
export const PACKAGES: Readonly<Record<ClientName, Package>> = {
  claude: { title: 'Claude Code', name: '@anthropic-ai/claude-code', version: '2.1.328', main: 'cli-wrapper.cjs' },
  codex: { title: 'Codex CLI', name: '@openai/codex', version: '0.169.0', main: 'bin/codex.js' },
  gemini: { title: 'Gemini CLI', name: '@google/gemini-cli', version: '0.61.0', main: 'bundle/gemini.js' },
};

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

export function mainOf({ name, main }: Package): string {
  return join(HOME, 'node_modules', name, main);
}

function installedVersion({ name }: Package): unknown {
  const file = join(HOME, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
