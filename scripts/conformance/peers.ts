// The official programs, installed into dist/ on first use: the two take 160 MB that nothing else needs.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DIST } from '../../build/step.ts';

const PEERS = { conformance: '0.2.0-alpha.12', inspector: '2.12.0' } as const;
const HOME = join(DIST, 'conformance');

export const RESULTS = join(HOME, 'results');

export type Peer = keyof typeof PEERS;
export type Output = { code: number | null; out: string; err: string };

export function installPeers(): void {
  const missing = Object.entries(PEERS).filter(([peer, version]) => installedVersion(peer) !== version);
  if (missing.length === 0) return;
  mkdirSync(HOME, { recursive: true });
  const packages = missing.map(([peer, version]) => `@modelcontextprotocol/${peer}@${version}`);
  const { status } = spawnSync(
    'npm',
    ['install', '--prefix', HOME, '--no-fund', '--no-audit', '--ignore-scripts', ...packages],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' ')}`);
}

function installedVersion(peer: string): unknown {
  const file = join(packageOf(peer), 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}

function packageOf(peer: string): string {
  return join(HOME, 'node_modules', '@modelcontextprotocol', peer);
}

export async function runPeer(peer: Peer, args: readonly string[]): Promise<Output> {
  const { bin } = JSON.parse(readFileSync(join(packageOf(peer), 'package.json'), 'utf8'));
  const main = join(packageOf(peer), bin[peer]);
  const child = spawn(process.execPath, [main, ...args], { cwd: HOME, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}
