// A client that keeps one connection open and sends all its requests over it.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type KeptConnection = {
  ask(method: string, path: string, body?: object): Promise<{ status: number | undefined; body: string }>;
  close(): void;
};

export function keepConnection(url: string, token: string): KeptConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    close: () => agent.destroy(),
    ask: async (method, path, body) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const outgoing = request(url + path, { method, agent, headers }).end(body && JSON.stringify(body));
      const [response]: IncomingMessage[] = await once(outgoing, 'response');
      if (response === undefined) throw new Error('no answer');
      return { status: response.statusCode, body: await text(response) };
    },
  };
}
