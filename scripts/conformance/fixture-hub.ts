// An in-process hub whose MCP catalogue also has the fixtures of the conformance suite. Requests go through the
// listener, the HTTP application and the MCP endpoint of the product.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { readConfig } from '../../server/config/config.ts';
import type { Log } from '../../server/domain/log.ts';
import { createApp } from '../../server/http/app.ts';
import type { Hub } from '../../server/hub.ts';
import type { Catalogue } from '../../server/mcp/catalogue.ts';
import { HUB_CATALOGUE } from '../../server/mcp/hub-catalogue.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { perform } from '../../server/operations/operation.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { VERSION } from '../../server/version.ts';
import { openInProcessHub } from '../support/in-process-hub.ts';
import { FIXTURE_COMPLETION, FIXTURE_PROMPTS } from './fixtures/prompts.ts';
import { FIXTURE_RESOURCES, FIXTURE_TEMPLATE, findFixture } from './fixtures/resources.ts';
import { FIXTURE_TOOLS } from './fixtures/tools.ts';

export type FixtureHub = AsyncDisposable & { port: number; token: string };

const CATALOGUE: Catalogue = {
  tools: [...HUB_CATALOGUE.tools, ...FIXTURE_TOOLS],
  resources: [...HUB_CATALOGUE.resources, ...FIXTURE_RESOURCES],
  resourceTemplates: [...HUB_CATALOGUE.resourceTemplates, FIXTURE_TEMPLATE],
  prompts: [...HUB_CATALOGUE.prompts, ...FIXTURE_PROMPTS],
  completions: [...HUB_CATALOGUE.completions, FIXTURE_COMPLETION],
  findResource: (uri) => findFixture(uri) ?? HUB_CATALOGUE.findResource(uri),
};

export async function openFixtureHub(): Promise<FixtureHub> {
  const data = mkdtempSync(join(tmpdir(), 'agenthub-conformance-'));
  const hub = await openInProcessHub({
    version: VERSION,
    // A waiting call reports progress with each heartbeat.
    settings: readConfig({ flags: { data, heartbeat_seconds: '1' }, env: {} }),
    database: join(data, 'agenthub.db'),
    log: ERRORS_ONLY,
  });
  const app = createApp(hub, undefined, CATALOGUE);
  const listener = await openListener('127.0.0.1', 0);
  listener.answer(app.koa.callback());
  return {
    port: listener.port,
    token: await registeredToken(hub),
    [Symbol.asyncDispose]: async () => {
      const stopped = listener.stop();
      app.streams.endAll();
      app.mcp.endAll();
      await stopped;
      await hub.store.close();
      rmSync(data, { recursive: true });
    },
  };
}

const ERRORS_ONLY: Log = {
  isLevelEnabled: () => false,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (fields, message) => void process.stderr.write(`${message}: ${inspect(fields)}\n`),
};

async function registeredToken(hub: Hub): Promise<string> {
  const account = { username: 'ada', password: 'correct horse' };
  return (await perform(register, hub, { ip: '127.0.0.1' }, account)).network_token;
}
