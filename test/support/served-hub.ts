// An in-process hub behind a real HTTP server on a free port, with one registered user.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Settings } from '../../server/domain/settings.ts';
import { type App, createApp } from '../../server/http/app.ts';
import type { Hub } from '../../server/hub.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { perform } from '../../server/operations/operation.ts';
import { identify } from '../../server/operations/tokens/identify.ts';
import { as, type Fixture, openFixture } from './fixture.ts';
import { restClient } from './http/rest-client.ts';
import { textOf } from './json.ts';

export type ServedHub = Fixture & {
  url: string;
  app: App;
  userToken: string;
  networkToken: string;
};

export async function serveHub(
  settings: Partial<Settings> = {},
  limits: Partial<Pick<Hub, 'maxConnections'>> = {},
): Promise<ServedHub> {
  const opened = await openFixture(settings);
  const { token, network_token, network_id } = await perform(
    register,
    opened.hub,
    { ip: '127.0.0.1', bearer: opened.hub.setup.token },
    { username: 'ann', password: 'secret' },
  );
  const caller = await identify(opened.hub, network_token, '127.0.0.1');
  if (caller === undefined) throw new Error('the token of the new network is not known');
  const { access_version: _, ...unwatched } = caller; // tests change its role and continue to act as it
  return {
    ...as(opened, { ...unwatched, network_id }),
    ...(await listen({ ...opened.hub, ...limits })),
    userToken: token,
    networkToken: network_token,
  };
}

/** Another token of the same user and network. */
export async function newNetworkToken({ url, userToken }: ServedHub): Promise<string> {
  const { body } = await restClient(url, userToken).post('/api/tokens', { name: 'one more' });
  return textOf(body, 'token');
}

/** Serves the hub until the test ends. */
export async function listen(hub: Hub): Promise<{ url: string; app: App }> {
  const app = createApp(hub, undefined);
  const server = createServer(app.koa.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    app.streams.endAll();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}` };
}
