// A hub that can be killed and restarted at the same address: a relay in front of it keeps the address and records the
// requests of each client.
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { hubCommand, openAccount } from '../bench/hub.ts';
import { launch, type Program } from '../support/program.ts';
import { objectsIn } from './dialects.ts';
import { isObject, jsonIn } from './json.ts';
import { serve } from './loopback.ts';

/** One request of a client. `rpc` is the JSON-RPC method, `tool` the tool of a tools/call. */
export type Recorded = {
  path: string;
  status: number;
  revision: string | undefined;
  rpc: string | undefined;
  tool: string | undefined;
  event: string | undefined;
};

export type WatchedHub = AsyncDisposable & {
  url: string;
  token: string;
  received: Recorded[];
  /** Kills the hub with SIGKILL and starts it on the same data. */
  restart(): Promise<void>;
  send(tool: string, args: object): Promise<void>;
  /** Resolves when a call waits. */
  isWaiting(): Promise<void>;
  /** Revokes the token of the client. */
  revoke(): Promise<void>;
  /** The status of a session, undefined if there is none. */
  statusOf(alias: string): Promise<unknown>;
};

export async function watchHub(): Promise<WatchedHub> {
  const data = mkdtempSync(join(tmpdir(), 'agenthub-clients-'));
  let hub = await launch(hubCommand('binary', data));
  const received: Recorded[] = [];
  const relay = await serve((incoming, outgoing) => void pass(hub, incoming, outgoing, received));
  const { token: userToken, network_token: token } = await openAccount(hub, 'bench');
  const asUser = (path: string, method = 'GET'): Promise<Response> =>
    fetch(hub.url + path, { method, headers: { authorization: `Bearer ${userToken}` } });
  return {
    url: relay.url,
    token,
    received,
    restart: async () => {
      await hub.kill();
      hub = await launch(hubCommand('binary', data));
    },
    send: async (tool, args) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } };
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      await fetch(`${hub.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) });
    },
    isWaiting: async () => {
      const metrics = async (): Promise<string> => (await fetch(`${hub.url}/metrics`)).text();
      while (!/^agenthub_waits_open [1-9]/m.test(await metrics())) await sleep(20);
    },
    statusOf: async (alias) => {
      const path = `/api/status/${encodeURIComponent(alias)}`;
      const response = await fetch(hub.url + path, { headers: { authorization: `Bearer ${token}` } });
      const { session } = jsonIn(await response.text());
      return isObject(session) ? session.status : undefined;
    },
    revoke: async () => {
      const { tokens } = jsonIn(await (await asUser('/api/tokens')).text());
      const ids = objectsIn(tokens).filter(({ network_id: network }) => network !== null);
      for (const { token_id: id } of ids) await asUser(`/api/tokens/${id}`, 'DELETE');
    },
    [Symbol.asyncDispose]: async () => {
      relay[Symbol.dispose]();
      await hub.kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function pass(
  hub: Program,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  events: Recorded[],
): Promise<void> {
  const body = await buffer(incoming);
  const { method, url, headers } = incoming;
  const sent = request({ host: '127.0.0.1', port: hub.port, method, path: url, headers }, (response) => {
    events.push(recordOf(incoming, response.statusCode ?? 0, body));
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    pipeline(response, outgoing, () => {}); // destroys the outgoing response when the hub is killed in between
  });
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  sent.end(body);
}

function recordOf({ url = '', headers }: IncomingMessage, status: number, body: Buffer): Recorded {
  const output = jsonIn(body.toString());
  const params = isObject(output.params) ? output.params : {};
  const revision = headers['mcp-protocol-version'] ?? params.protocolVersion;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    path: url.split('?')[0] ?? '',
    status,
    revision: text(revision),
    rpc: text(output.method),
    tool: text(params.name),
    event: text(output.hook_event_name),
  };
}
