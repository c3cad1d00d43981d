// `npm start -- …`: builds dist/agenthub if it is stale, then replaces itself with it, so that signals, terminal and
// exit code are those of the hub, and it receives Ctrl-C once.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from '../build/index.ts';
import { DIST } from '../build/step.ts';

await build();
become(join(DIST, 'agenthub'), process.argv.slice(2));

function become(executable: string, args: string[]): void {
  if (process.execve && process.platform !== 'win32') process.execve(executable, [executable, ...args], process.env);
  const { status } = spawnSync(executable, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
