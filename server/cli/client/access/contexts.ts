// Contexts: the hubs that `agenthub login` signed in to, each with its address, user and tokens under a name. They are
// stored in a file that only its owner can read. One of them is in use.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { notSignedIn } from '../../exit-codes.ts';
import { note } from '../../output.ts';
import { configurationDirectory, textIn, writePrivate } from './private-file.ts';

const context = v.object({
  url: v.string(),
  username: v.string(),
  user_token: v.string(),
  user_token_id: v.optional(v.string()),
  /** The network to work in unless another is named. */
  network_id: v.optional(v.string()),
  /** A network token for each network that was worked in, by the id of the network. */
  networks: v.record(v.string(), v.object({ token: v.string(), token_id: v.string() })),
});
export type Context = v.InferOutput<typeof context>;

const stored = v.object({ current: v.nullable(v.string()), contexts: v.record(v.string(), context) });
export type Contexts = v.InferOutput<typeof stored>;

export type NamedContext = Context & { name: string };

export function contextsFile(): string {
  return join(configurationDirectory(), 'credentials.json');
}

export function readContexts(): Contexts {
  const file = contextsFile();
  const text = textIn(file);
  if (text === undefined) return { current: null, contexts: {} };
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), stored), text);
  if (!result.success)
    throw notSignedIn(`${file} is damaged or from an earlier version; run agenthub login to replace it`);
  if ((statSync(file).mode & 0o077) !== 0) note(`${file} is readable by other users; run chmod 600 on it`);
  return result.output;
}

/** Returns undefined if no context is in use. */
export function currentContext({ current, contexts } = readContexts()): NamedContext | undefined {
  const found = current === null ? undefined : contexts[current];
  return found && { ...found, name: current ?? '' };
}

export function namedContext(name: string, { contexts } = readContexts()): NamedContext {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return { ...found, name };
  const known = Object.keys(contexts);
  throw notSignedIn(
    `there is no context ${name}; ${known.length === 0 ? 'agenthub login creates one' : `the contexts are ${known.join(', ')}`}. An address begins with http:// or https://`,
  );
}

/** The contexts of a hub; the one in use comes first. */
export function contextsOf(url: string, all = readContexts()): NamedContext[] {
  const named = Object.entries(all.contexts).map(([name, each]) => ({ ...each, name }));
  return named
    .filter((each) => each.url === url)
    .sort((one, other) => Number(other.name === all.current) - Number(one.name === all.current));
}

export function storeContext({ name, ...context }: NamedContext, all: Contexts = readContexts()): void {
  writePrivate(contextsFile(), { ...all, contexts: { ...all.contexts, [name]: context } });
}

export function useContext(name: string, all = readContexts()): void {
  writePrivate(contextsFile(), { ...all, current: name });
}

/** If the context was in use, none is, unless a single one is left. */
export function removeContext(name: string, { current, contexts } = readContexts()): void {
  const { [name]: _, ...left } = contexts;
  const [first, ...others] = Object.keys(left);
  if (first === undefined) return rmSync(contextsFile(), { force: true });
  const next = others.length === 0 ? first : null;
  writePrivate(contextsFile(), { current: current === name ? next : current, contexts: left });
}
