// A hub that can be killed and restarted at the same address: a relay in front of it keeps the address and records the
// requests of each client.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { callTool, hubCommand, openAccount } from '../bench/hub.ts';
import { launch, type Program } from '../support/program.ts';
import { objectsIn } from './dialects.ts';
import { isObject, type JsonObject, jsonIn } from './json.ts';
import { serve } from './loopback.ts';

/** One request of a client. `rpc` is the JSON-RPC method, `tool` the tool of a tools/call. */
export type Recorded = {
  path: string;
  status: number;
  revision: string | undefined;
  rpc: string | undefined;
  tool: string | undefined;
  event: string | undefined;
  /** From the arrival of the request to the head of the response. */
  ms: number;
  /** Whether the response to a hook has a text for the model. */
  hasMention: boolean;
};

export type WatchedHub = AsyncDisposable & {
  url: string;
  token: string;
  received: Recorded[];
  /** Kills the hub with SIGKILL and starts it on the same data, after this time. */
  restart(downMs?: number): Promise<void>;
  /** Calls a tool as another agent, again until the hub responds. */
  call(tool: string, args: object): Promise<JsonObject>;
  /** Resolves when a call waits. */
  isWaiting(): Promise<void>;
  /** The number of open event streams: waiters of sessions. */
  streams(): Promise<number>;
  /** Revokes the token of the client. */
  revoke(): Promise<void>;
  /** The status of a session, undefined if there is none. */
  statusOf(alias: string): Promise<unknown>;
};

const AGAIN_MS = 50;

export async function watchHub(): Promise<WatchedHub> {
  const data = mkdtempSync(join(tmpdir(), 'agenthub-clients-'));
  let hub = await launch(hubCommand('binary', data));
  const received: Recorded[] = [];
  const relay = await serve((incoming, outgoing) => void pass(hub, incoming, outgoing, received));
  const { token: userToken, network_token: token } = await openAccount(hub, 'bench');
  const asUser = (path: string, method = 'GET'): Promise<Response> =>
    fetch(hub.url + path, { method, headers: { authorization: `Bearer ${userToken}` } });
  const metric = async (name: string): Promise<number> => {
    const metrics = await (await fetch(`${hub.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0);
  };
  return {
    url: relay.url,
    token,
    received,
    restart: async (downMs = 0) => {
      await hub.kill();
      relay.stop();
      await sleep(downMs);
      hub = await launch(hubCommand('binary', data));
      await relay.start();
    },
    call: (tool, args) => {
      const key = tool === 'send_task' || tool === 'send_message' ? { idempotency_key: randomUUID() } : {};
      return untilReached(() => callTool(hub, token, tool, { ...key, ...args }));
    },
    isWaiting: async () => {
      while ((await metric('agenthub_waits_open')) === 0) await sleep(20);
    },
    streams: () => metric('agenthub_event_streams_open'),
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

async function untilReached(call: () => Promise<unknown>): Promise<JsonObject> {
  for (;;) {
    try {
      const result = await call();
      return isObject(result) ? result : {};
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // fetch throws it when the hub is down
      await sleep(AGAIN_MS);
    }
  }
}

async function pass(
  hub: Program,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  events: Recorded[],
): Promise<void> {
  const body = await buffer(incoming);
  const { method, url, headers } = incoming;
  const start = performance.now();
  const sent = request({ host: '127.0.0.1', port: hub.port, method, path: url, headers }, (response) => {
    events.push({ ...recordOf(incoming, response, body), ms: performance.now() - start });
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    pipeline(response, outgoing, () => {}); // destroys the outgoing response when the hub is killed in between
  });
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  sent.end(body);
}

function recordOf(
  { url = '', headers }: IncomingMessage,
  { statusCode: status = 0, headers: responded }: IncomingMessage,
  body: Buffer,
): Omit<Recorded, 'ms'> {
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
    hasMention: status === 200 && Number(responded['content-length']) > '{}'.length,
  };
}
