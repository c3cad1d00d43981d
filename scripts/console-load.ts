// `npm run console-load [-- --seconds 600 --rate 50 --agents 20]`: measures the console in a real browser while agents
// work on many tasks, and on a full hub: frames per second, elements, memory and bytes of every page. Exits with 1 if a
// target is missed.
//
// The machine may be busy, so frames are compared with those of an empty page in a second browser at the same moments.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../build/index.ts';
import { DIST, ROOT } from '../build/step.ts';
import { hubCommand, openAccount } from './bench/hub.ts';
import { commandLine, positive, wholeNumber } from './command-line.ts';
import { openBrowsers } from './console-load/browsers.ts';
import { measureBusyHub } from './console-load/busy-hub.ts';
import { measureFullHub } from './console-load/full-hub.ts';
import { checkBusy, checkFull, report } from './console-load/report.ts';
import { startTraffic } from './console-load/traffic.ts';
import { openAccount as signIn } from './screenshots/account.ts';
import { SEEDED } from './seed.ts';
import { launch } from './support/program.ts';

const { seconds, rate, agents, tasks, manyAgents } = commandLine(
  'console-load',
  'Measures the console in a real browser while agents work on many tasks, and on a full hub.',
)
  .option('--seconds <number>', 'how long agents work', positive, 600)
  .option('--rate <number>', 'number of tasks sent per second', positive, 50)
  .option('--agents <number>', 'number of agents that work on them', wholeNumber, 20)
  .option('--tasks <number>', 'number of tasks of the full hub', wholeNumber, 10_000)
  .option('--many-agents <number>', 'number of agents of the full hub', wholeNumber, 500)
  .parse()
  .opts<{ seconds: number; rate: number; agents: number; tasks: number; manyAgents: number }>();

await build();
const browsers = await openBrowsers();
const busy = await onBusyHub();
const full = await onFullHub();
await browsers.close();
const results = [...checkBusy(busy), ...checkFull(full)];
process.stdout.write(report(results));
process.exit(results.every(({ passed }) => passed) ? 0 : 1);

async function onBusyHub() {
  using data = scratchDirectory();
  using hub = await launch(hubCommand('binary', data.path));
  const { token, network_id, network_token, user } = await openAccount(hub, 'ada');
  const traffic = await startTraffic(hub, network_token, { rate, agents });
  const kept = JSON.stringify({ token, network_id, user });
  const samples = await measureBusyHub(browsers, { url: hub.url, kept }, seconds, traffic.latestTask);
  const sent = await traffic.stop();
  await hub.kill();
  return { samples, sent, seconds, rate };
}

async function onFullHub() {
  using data = scratchDirectory();
  fill(data.path);
  using hub = await launch(hubCommand('binary', data.path));
  const account = await signIn(hub.url, SEEDED, 'full');
  const samples = await measureFullHub(browsers, { url: hub.url, ...account });
  await hub.kill();
  return samples;
}

/** In a separate process, so that no connection to the database of the hub stays open in this one. */
function fill(data: string): void {
  const size = ['--tasks', `${tasks}`, '--agents', `${manyAgents}`];
  execFileSync(process.execPath, [...process.execArgv, join(ROOT, 'scripts/seed.ts'), '--data', data, ...size]);
}

/** In the checkout, because a temporary directory may be in memory. */
function scratchDirectory() {
  mkdirSync(DIST, { recursive: true });
  const path = mkdtempSync(join(DIST, 'console-load-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
