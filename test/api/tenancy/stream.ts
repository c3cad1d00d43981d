// Opens an event stream for a cell, writes in every network, and keeps the complete stream.
import { reportStatus } from '../../../server/operations/agents/report-status.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { objectIn } from '../../support/json.ts';
import type { Cell } from './cells.ts';
import type { Fixture } from './fixture.ts';
import type { Result } from './requests.ts';
import type { Row } from './rows.ts';
import { REQUEST_ID } from './send.ts';
import { ask } from './users.ts';
import { type NetworkName, visibleTo } from './visibility.ts';

const OWNERS = { home: 'owner', foreign: 'outsider', admin: 'admin' } as const;
type ActiveNetwork = keyof typeof OWNERS;

/** `atStart` runs once the stream is open, before anything happens. */
export async function askStream(
  fixture: Fixture,
  route: string,
  row: Row,
  cell: Cell,
  atStart: () => Promise<void>,
): Promise<Result> {
  const { alias } = fixture.objects(cell.object, cell.who);
  const leaving = new AbortController();
  const response = await fetch(addressOf(fixture, route, cell, alias), {
    headers: headersOf(fixture, cell),
    signal: leaving.signal,
  });
  const head = [response.status, ...[...response.headers].map((pair) => pair.join(': '))].join('\n');
  if (response.status !== 200 || response.body === null) {
    const text = await response.text();
    return { outcome: `${response.status} ${String(objectIn(text).error)}`, raw: `${head}\n${text}` };
  }
  await atStart();
  const endMarker = await writeEverywhere(fixture, row, cell, alias);
  const streamed = await readUntil(response, endMarker);
  leaving.abort();
  return { outcome: 'ok', raw: `${head}\n${streamed}` };
}

function addressOf({ url, ids, tokens }: Fixture, route: string, { who, network }: Cell, alias: string): string {
  const path = route.replace(/^GET /, '').replace(':alias', encodeURIComponent(alias));
  const query = new URLSearchParams(
    network === '-' || network === 'self' ? {} : { network_id: ids[network].network_id },
  );
  if (who === 'ntok_ in the query') query.set('token', tokens[who] ?? '');
  return `${url}${path}?${query}`;
}

function headersOf({ tokens }: Fixture, { who }: Cell): Record<string, string> {
  const token = who === 'ntok_ in the query' ? undefined : tokens[who];
  return { ...REQUEST_ID, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
}

/**
 * Writes in every network, and last in one that the stream shows. Once its final message, the reply, has arrived, every
 * leak has arrived too.
 */
async function writeEverywhere(fixture: Fixture, row: Row, cell: Cell, alias: string): Promise<string> {
  const seen = visibleTo(row, cell);
  const names: ActiveNetwork[] = ['home', 'foreign', 'admin'];
  const inOrder = [...names.filter((name) => !seen.includes(name)), ...names.filter((name) => seen.includes(name))];
  const messages: string[] = [];
  for (const name of inOrder) messages.push(await writeIn(fixture, name, alias));
  return messages.at(-1) ?? '';
}

async function writeIn(fixture: Fixture, name: ActiveNetwork & NetworkName, alias: string): Promise<string> {
  const canary = fixture.canaries[name];
  const { ntok } = fixture.users[OWNERS[name]];
  const { word } = fixture.objects('-', 'no token');
  await ask(fixture.hub, ntok, reportStatus, {
    alias: `agent ${canary}`,
    resume_id: canary,
    status: 'working',
    task: word,
  });
  await ask(fixture.hub, ntok, sendTask, { alias, task: `${word} ${canary}`, from_session: canary });
  const message = `${word} ends ${canary}`;
  await ask(fixture.hub, ntok, sendMessage, { alias, message, from_session: canary });
  return message;
}

/** The content of a stream up to `fence`, where the client disconnects. */
export async function readUntil({ body }: Response, endMarker: string | RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (typeof endMarker === 'string' ? text.includes(endMarker) : endMarker.test(text)) return text;
  }
  throw new Error(`the stream ended before it carried ${endMarker}: ${text}`);
}

/** A modern request that subscribes to resources. */
export function subscribing(token: string, uris: readonly string[]): RequestInit {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: { _meta, notifications: { resourceSubscriptions: uris } },
  };
  const headers = {
    ...REQUEST_ID,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'subscriptions/listen',
  };
  return { method: 'POST', headers, body: JSON.stringify(message) };
}
