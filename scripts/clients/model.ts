// A mock of the model behind a client: a script decides what it does next, and all requests are recorded. It replies to
// requests without the tools of the hub, such as for a title, with a single word.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { DIALECTS, type Dialect, isOfModel, itemsOf, objectsIn, toolOffered } from './dialects.ts';
import { type JsonObject, jsonIn } from './json.ts';
import { type Served, serve } from './loopback.ts';

/**
 * What a client sends, as JSON: all of it, what the model has not seen before, and the tool results so far. `items` is
 * the conversation, without the tools.
 */
export type Turn = { content: string; news: string; results: readonly string[]; items: readonly JsonObject[] };
export type Action = { tool: string; args: object } | { say: string };
export type Script = (turn: Turn) => Action | Promise<Action>;

/** `at` is in milliseconds of `performance.now()`. */
export type ModelRequest = Turn & { at: number };

export type Model = Served & {
  script: Script;
  requests: ModelRequest[];
  /** The first request of this kind, now or later; undefined after this time. */
  reached(isMeant: (request: ModelRequest) => boolean, withinMs: number): Promise<ModelRequest | undefined>;
};

type State = Pick<Model, 'script' | 'requests'> & { watchers: Set<() => void> };

export async function openModel(script: Script): Promise<Model> {
  const state: State = { script, requests: [], watchers: new Set() };
  const served = await serve((incoming, outgoing) => void respond(state, incoming, outgoing));
  return Object.assign(state, served, {
    reached: (isMeant: (request: ModelRequest) => boolean, withinMs: number) => requestLike(state, isMeant, withinMs),
  });
}

/** For `reached`: a request that contains all these words. */
export const containing =
  (...words: readonly string[]) =>
  ({ content }: ModelRequest): boolean =>
    words.every((each) => content.includes(each));

function requestLike(
  { requests, watchers }: State,
  isMeant: (request: ModelRequest) => boolean,
  withinMs: number,
): Promise<ModelRequest | undefined> {
  return new Promise((resolve) => {
    const end = (request?: ModelRequest): void => {
      clearTimeout(timer);
      watchers.delete(look);
      resolve(request);
    };
    const look = (): void => {
      const found = requests.find(isMeant);
      if (found !== undefined) end(found);
    };
    const timer = setTimeout(end, withinMs);
    watchers.add(look);
    look();
  });
}

async function respond(state: State, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const path = (incoming.url ?? '').split('?')[0] ?? '';
  const content = await text(incoming);
  const at = performance.now();
  const dialect = DIALECTS.find((known) => known.path.test(path));
  if (dialect === undefined) return void outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  const body = jsonIn(content);
  const request = { at, ...readRequest(dialect, content, body) };
  state.requests.push(request);
  for (const look of state.watchers) look();
  const events = await reply(state, dialect, body, request);
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) outgoing.write(`${nameOf(event)}data: ${JSON.stringify(event)}\n\n`);
  outgoing.end();
}

function readRequest(dialect: Dialect, content: string, body: JsonObject): Omit<ModelRequest, 'at'> {
  const items = itemsOf(dialect, body);
  const results = objectsIn(items)
    .filter(dialect.isResult)
    .map((result) => JSON.stringify(result));
  return { content, items, results, news: JSON.stringify(items.slice(items.findLastIndex(isOfModel) + 1)) };
}

function nameOf(event: object): string {
  return 'type' in event ? `event: ${String(event.type)}\n` : '';
}

async function reply(state: State, dialect: Dialect, body: JsonObject, turn: Turn): Promise<object[]> {
  if (toolOffered(body, 'get_inbox') === undefined) return dialect.end('a stand-in');
  const action = await state.script(turn);
  if ('say' in action) return dialect.end(action.say);
  const tool = toolOffered(body, action.tool);
  return tool === undefined ? dialect.end(`the client offers no tool ${action.tool}`) : dialect.call(tool, action.args);
}
