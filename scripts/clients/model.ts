// A mock of the model behind a client: in each turn, it calls get_inbox as often as the script says, and records all
// requests. It replies to other requests, such as for a title, with a single word.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { DIALECTS, type Dialect, objectsIn, toolOffered } from './dialects.ts';
import { type JsonObject, jsonIn } from './json.ts';
import { type Served, serve } from './loopback.ts';

export type Script = {
  args: object;
  calls: number;
  /** Awaited before the call with this number, counted from 0, or before the end of the turn. */
  before: (call: number) => Promise<void>;
};

export type Model = Served & {
  script: Script;
  /** The received tool results, and the full text of every request. */
  results: string[];
  requests: string[];
};

export async function openModel(script: Script): Promise<Model> {
  const kept = { script, results: [] as string[], requests: [] as string[] };
  const served = await serve((incoming, outgoing) => void respond(kept, incoming, outgoing));
  return Object.assign(kept, served);
}

async function respond(
  model: Pick<Model, 'script' | 'results' | 'requests'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const path = (incoming.url ?? '').split('?')[0] ?? '';
  const content = await text(incoming);
  model.requests.push(content);
  const dialect = DIALECTS.find((known) => known.path.test(path));
  if (dialect === undefined) return void outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  const events = await reply(model, dialect, jsonIn(content));
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) outgoing.write(`${nameOf(event)}data: ${JSON.stringify(event)}\n\n`);
  outgoing.end();
}

function nameOf(event: object): string {
  return 'type' in event ? `event: ${String(event.type)}\n` : '';
}

async function reply(
  { script, results }: Pick<Model, 'script' | 'results'>,
  dialect: Dialect,
  body: JsonObject,
): Promise<object[]> {
  const tool = toolOffered(body, 'get_inbox');
  const found = objectsIn(body[dialect.turns]).filter(dialect.isResult);
  results.push(...found.slice(results.length).map((result) => JSON.stringify(result)));
  if (tool === undefined) return dialect.end('a stand-in');
  await script.before(found.length);
  return found.length < script.calls ? dialect.call(tool, script.args, found.length) : dialect.end('done');
}
