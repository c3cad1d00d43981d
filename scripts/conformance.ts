// `npm run mcp:conformance`: tests the MCP endpoint with the official programs, in both protocol eras: the conformance
// runner with test/conformance-baseline.yml, and the Inspector. They use a hub that also offers the fixtures of the suite.
import type { Check } from './conformance/check.ts';
import { openFixtureHub } from './conformance/fixture-hub.ts';
import { inspectorChecks } from './conformance/inspector.ts';
import { installPeers } from './conformance/peers.ts';
import { openProxy } from './conformance/proxy.ts';
import { runnerChecks } from './conformance/runner.ts';

installPeers();
await using hub = await openFixtureHub();
using proxy = await openProxy(hub);
using withSession = await openProxy(hub, { 'mcp-session-id': 'of the proxy' });
for (const check of [...runnerChecks(proxy.url, withSession.url), ...inspectorChecks(hub)]) await report(check);

async function report({ name, run }: Check): Promise<void> {
  const { note, problem } = await run();
  process.stdout.write(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${name}${note === undefined ? '' : `: ${note}`}\n`);
  if (problem === undefined) return;
  process.stdout.write(`${problem}\n`);
  process.exitCode = 1;
}
