// paths: shows the location of every file of this program, whether or not it exists. Creates nothing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILE } from '../config/file.ts';
import { BACKUPS, DATABASE, LOCK, SOCKET } from '../domain/files/data-files.ts';
import { agentTokensFile } from './client/access/agent-tokens.ts';
import { connectBackupsDirectory, recordsFile } from './client/access/connection-records.ts';
import { contextsFile } from './client/access/contexts.ts';
import { dataDirectoryOf, type GivenOptions } from './key-options.ts';
import { type OutputOptions, sayAnswer, table } from './output.ts';

type Place = { path: string; exists: boolean; about: string };

export async function paths({ output, ...flags }: GivenOptions & OutputOptions): Promise<void> {
  sayAnswer({ output }, placesOf(dataDirectoryOf(flags)), (places) =>
    table(['what', 'path', 'exists', 'description'], Object.entries(places).map(row)),
  );
}

function placesOf(data: string): Record<string, Place> {
  return {
    data: place(data, 'data directory'),
    database: place(join(data, DATABASE), 'database'),
    lock: place(join(data, LOCK), 'lock that a running hub holds'),
    backups: place(join(data, BACKUPS), 'scheduled backups'),
    socket: place(join(data, SOCKET), 'operator socket of the running hub'),
    config: place(join(data, FILE), 'configuration file'),
    credentials: place(contextsFile(), 'credentials stored by agenthub login'),
    agents: place(agentTokensFile(), 'tokens that agenthub connect --hooks stored for agents'),
    connections: place(recordsFile(), 'record of what agenthub connect wrote into files of clients'),
    connect_backups: place(connectBackupsDirectory(), 'backups of the files that agenthub connect changed'),
    executable: place(process.execPath, 'this program'),
  };
}

function place(path: string, about: string): Place {
  return { path, exists: existsSync(path), about };
}

function row([name, { path, exists, about }]: [string, Place]): string[] {
  return [name, path, exists ? 'yes' : 'no', about];
}
