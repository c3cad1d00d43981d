// The network tokens that `connect --hooks` stores for the agents on this machine, by hub and alias, in a file that only
// its owner can read. Hooks run where no one has signed in, and their command lines are visible to others.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { type Access, access, credentialsFile } from '../client/credentials.ts';
import { type HubClient, hubClient } from '../client/hub-client.ts';
import { CommandError, notSignedIn } from '../exit-codes.ts';

const connections = v.record(v.string(), v.record(v.string(), v.string()));
type Connections = v.InferOutput<typeof connections>;

export function connectionsFile(): string {
  return join(dirname(credentialsFile()), 'agents.json');
}

function read(): Connections {
  try {
    return v.parse(connections, JSON.parse(readFileSync(connectionsFile(), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new CommandError(`cannot read ${connectionsFile()}; run agenthub connect again, or delete it`);
  }
}

function write(all: Connections): void {
  const file = connectionsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function storeConnection({ url, alias, token }: { url: string; alias: string; token: string }): void {
  const all = read();
  write({ ...all, [url]: { ...all[url], [alias]: token } });
}

export function forgetConnection({ url, alias }: { url: string; alias: string }): void {
  const { [url]: agents = {}, ...others } = read();
  const { [alias]: _, ...rest } = agents;
  const left = { ...others, ...(Object.keys(rest).length > 0 && { [url]: rest }) };
  if (Object.keys(left).length > 0) write(left);
  else rmSync(connectionsFile(), { force: true });
}

/** The hub of an agent: the one named, or else the one in use. The variables of the environment take precedence. */
export function hubOf({ alias, url: named }: { alias: string; url: string | undefined }): HubClient {
  const inUse = named === undefined || process.env.AGENTHUB_TOKEN !== undefined ? access() : undefined;
  const url = named ?? inUse?.url ?? '';
  const token = inUse?.networkToken ?? read()[url]?.[alias] ?? process.env.HUB_TOKEN ?? stored(url)?.networkToken;
  if (token === undefined)
    throw notSignedIn(`no token for ${alias} at ${url}; run agenthub connect CLIENT --hooks --write --alias ${alias}`);
  return hubClient(url, token);
}

function stored(url: string): Access | undefined {
  const signedIn = access();
  return signedIn.url === url ? signedIn : undefined;
}
