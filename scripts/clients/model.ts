// A mock of the model behind a client: a script decides what it does next, and all requests are recorded. It replies to
// requests without the tools of the hub, such as for a title, with a single word.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { DIALECTS, type Dialect, objectsIn, toolOffered } from './dialects.ts';
import { type JsonObject, jsonIn } from './json.ts';
import { type Served, serve } from './loopback.ts';

/** `results` is the number of tool results in the conversation so far. */
export type Turn = { content: string; results: number };
export type Action = { tool: string; args: object } | { say: string };
export type Script = (turn: Turn) => Action | Promise<Action>;

/** `at` is in milliseconds of `performance.now()`. */
export type ModelRequest = { at: number; content: string };

export type Model = Served & {
  script: Script;
  /** The received tool results. */
  results: string[];
  requests: ModelRequest[];
  /** The first request that contains these words, now or later; undefined after this time. */
  reached(words: string, withinMs: number): Promise<ModelRequest | undefined>;
};

type State = Pick<Model, 'script' | 'results' | 'requests'> & { watchers: Set<() => void> };

export async function openModel(script: Script): Promise<Model> {
  const state: State = { script, results: [], requests: [], watchers: new Set() };
  const served = await serve((incoming, outgoing) => void respond(state, incoming, outgoing));
  return Object.assign(state, served, {
    reached: (words: string, withinMs: number) => requestWith(state, words, withinMs),
  });
}

function requestWith(
  { requests, watchers }: State,
  words: string,
  withinMs: number,
): Promise<ModelRequest | undefined> {
  return new Promise((resolve) => {
    const end = (request?: ModelRequest): void => {
      clearTimeout(timer);
      watchers.delete(look);
      resolve(request);
    };
    const look = (): void => {
      const found = requests.find(({ content }) => content.includes(words));
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
  state.requests.push({ at: performance.now(), content });
  for (const look of state.watchers) look();
  const dialect = DIALECTS.find((known) => known.path.test(path));
  if (dialect === undefined) return void outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  const events = await reply(state, dialect, content);
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) outgoing.write(`${nameOf(event)}data: ${JSON.stringify(event)}\n\n`);
  outgoing.end();
}

function nameOf(event: object): string {
  return 'type' in event ? `event: ${String(event.type)}\n` : '';
}

async function reply(state: State, dialect: Dialect, content: string): Promise<object[]> {
  const body: JsonObject = jsonIn(content);
  const found = objectsIn(body[dialect.turns]).filter(dialect.isResult);
  state.results.push(...found.slice(state.results.length).map((result) => JSON.stringify(result)));
  if (toolOffered(body, 'get_inbox') === undefined) return dialect.end('a stand-in');
  const action = await state.script({ content, results: found.length });
  if ('say' in action) return dialect.end(action.say);
  const tool = toolOffered(body, action.tool);
  return tool === undefined
    ? dialect.end(`the client offers no tool ${action.tool}`)
    : dialect.call(tool, action.args, found.length);
}
