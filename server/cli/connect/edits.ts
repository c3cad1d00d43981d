// Computes the file edits of `connect`: the new text of each file. All other content of a file is kept.
import { existsSync } from 'node:fs';
import type { Approvals, Client, HookInstallation } from '../../domain/clients/client.ts';
import { CLIENTS, CONNECT_NAMES, type ConnectName, configurationOf } from '../../domain/clients/clients.ts';
import { type Agent, type Files, SCOPES, type Scope } from '../../domain/clients/setup.ts';
import { readRecords } from '../client/access/connection-records.ts';
import { CommandError } from '../exit-codes.ts';
import { approvedItems, repository, withApprovals, withoutApprovals } from './approvals.ts';
import { fileOf } from './client-files.ts';
import { ForeignContentError } from './foreign-content.ts';
import { withHooks, withoutHooks } from './hook-entries.ts';
import { agentsIn, agentsOf, installationOf } from './installed-hooks.ts';
import { type Ledger, ledgerOf } from './ledger.ts';
import { agentOfPlugin, withPlugin } from './opencode-plugin.ts';
import { isAsWritten, type OwnedChange, originalOf } from './recorded-change.ts';
import { targetOf, textOfFile } from './replace-file.ts';
import { type Shared, withEntry, withoutEntry } from './server-entry.ts';
import { JsonSyntaxError } from './text/json-text.ts';
import { TomlFormError } from './text/toml-text.ts';
import { WAITER_SCRIPT, writableWaiter } from './waiter-script.ts';

/** The connection of one client to one hub. */
export type Connection = Agent & { client: ConnectName; token: string; scope: Scope; hasHooks: boolean };

/** What `connect` puts into one file. `owner` names the connection that needs it. */
type Part = {
  files: Files;
  owner: string;
  isWritten: boolean;
  isProgram?: true;
  write: (text: string, connection: Connection, ledger: Ledger) => string;
  remove: (text: string, ledger: Ledger) => string;
};

export function editsFor(connection: Connection): OwnedChange[] {
  const { client, scope, hasHooks, token } = connection;
  const records = readRecords();
  return filesOf(client, scope, hasHooks).flatMap(([file, parts]) => {
    const [first] = parts.filter(({ isWritten }) => isWritten);
    if (first === undefined) return [];
    const ledger = ledgerOf(records[targetOf(file)]);
    const text = edited(file, (before) => withParts(before, parts, connection, ledger));
    const isFree = edited(file, (before) => withoutParts(before, parts, ledgerOf(undefined))) === textOfFile(file);
    const isSecret = newText(parts, connection).includes(token);
    const { owner, isProgram = false } = first;
    const agents = agentsOf(file, text);
    return { file, text, owner, isProgram, isFree, token: isSecret ? token : undefined, isSecret, agents };
  });
}

/** The text that each file would have if it were new, which a person can also paste. Reads no file of the client. */
export function newFilesFor(connection: Connection): { file: string; text: string }[] {
  const { client, scope, hasHooks } = connection;
  return filesOf(client, scope, hasHooks)
    .filter(([, parts]) => parts.some(({ isWritten }) => isWritten))
    .map(([file, parts]) => ({ file, text: newText(parts, connection) }));
}

function newText(parts: readonly Part[], connection: Connection): string {
  return withParts('', parts, connection, ledgerOf(undefined));
}

/**
 * `agents` are those that the removed hooks belonged to. `notes` say what was kept in the file, and why. `isGone`: a
 * person has deleted the file.
 */
export type Removal = Omit<OwnedChange, 'isFree'> & {
  isChanged: boolean;
  isGone?: true;
  agents: readonly Agent[];
  notes: string[];
};

/**
 * The edits that take back what `editsFor` has written. A file that connect created is deleted if it then has no
 * content.
 */
export function removalsFor(client: ConnectName, scope: Scope): Removal[] {
  const records = readRecords();
  return filesOf(client, scope, true)
    .filter(([file]) => existsSync(file) || records[targetOf(file)] !== undefined)
    .map(([file, parts]) => removalOf(file, parts));
}

function removalOf(file: string, parts: readonly Part[]): Removal {
  const records = readRecords();
  const known = records[targetOf(file)];
  const owner = parts[0]?.owner ?? '';
  const others = known?.owners.filter((each) => each !== owner) ?? [];
  const change = { file, owner, isSecret: false };
  const agents = agentsIn(file);
  if (!existsSync(file)) return { ...change, text: undefined, isChanged: false, isGone: true, agents, notes: [] };
  const user = others.find((other) => isConnection(owner) && isConnection(other));
  const before = textOfFile(file);
  if (user !== undefined)
    return { ...change, text: before, isChanged: false, agents: [], notes: [`kept ${file}, which ${user} still uses`] };
  const original = others.length === 0 ? originalOf(records, file) : undefined;
  if (original !== undefined)
    return { ...change, text: original ?? undefined, isChanged: true, isOurs: true, agents, notes: [] };
  const kept: string[] = [];
  const left = edited(file, (text) => withoutParts(text, parts, ledgerOf(known, kept)));
  const mayDelete = known === undefined || known.isCreated || left === '';
  const text = left !== before && mayDelete && isBare(left) ? undefined : left;
  const isOurs = known?.original !== undefined && isAsWritten(records, file);
  const notes = kept.map((what) => `kept ${what} in ${file}`);
  return { ...change, text, isChanged: text !== before, isOurs, agents, notes };
}

const CONNECTION = new RegExp(`^\\w+/(?:${SCOPES.join('|')})$`);

/** Not that of a plugin or a repository, whose parts of a file are separate. */
function isConnection(owner: string): boolean {
  return CONNECTION.test(owner);
}

function withParts(text: string, parts: readonly Part[], connection: Connection, ledger: Ledger): string {
  const written = parts.filter(({ isWritten }) => isWritten);
  return written.reduce((changed, part) => part.write(changed, connection, ledger), text);
}

function withoutParts(text: string, parts: readonly Part[], ledger: Ledger): string {
  return parts.reduce((left, part) => part.remove(left, ledger), text);
}

/** The parts of each file: the configuration and the hooks of a client may be in the same. */
function filesOf(client: ConnectName, scope: Scope, hasHooks: boolean): [file: string, parts: Part[]][] {
  const parts = partsOf(client, scope, hasHooks);
  return [...Map.groupBy(parts, ({ files }) => fileOf(CLIENTS[client], files, scope))];
}

function partsOf(client: ConnectName, scope: Scope, hasHooks: boolean): Part[] {
  const owner = `${client}/${scope}`;
  const [installation, approvals] = [installationOf(client), approvalsOf(client, scope)];
  const waiter = hasHooks && approvals !== undefined ? writableWaiter() : undefined;
  const shared = sharedOf(client, scope);
  const parts: Part[] = [
    {
      files: shared[0].files,
      owner,
      isWritten: true,
      write: (text, connection, ledger) => withEntry(text, shared, connection, ledger),
      remove: (text, ledger) => withoutEntry(text, shared, ledger),
    },
  ];
  if (installation !== undefined)
    parts.push({
      files: installation.files,
      owner,
      isWritten: hasHooks,
      write: (text, connection, ledger) => withInstallation(text, installation, connection, ledger),
      remove: (text, ledger) => withoutInstallation(text, installation, scope, ledger),
    });
  if (approvals !== undefined)
    parts.push({
      files: inHome(approvals),
      owner: `${owner}${repository()}`,
      isWritten: true,
      write: (text) => withApprovals(text, approvals, approvedItems(approvals, waiter !== undefined)),
      remove: (text, ledger) => withoutApprovals(text, approvals, ledger),
    });
  if (waiter !== undefined && (!existsSync(waiter) || readRecords()[targetOf(waiter)] !== undefined))
    parts.push({
      files: { user: waiter, project: waiter },
      owner,
      isWritten: true,
      isProgram: true,
      write: () => WAITER_SCRIPT,
      remove: () => '',
    });
  return parts;
}

/** The configurations of the clients that have their servers in the same file. */
function sharedOf(client: ConnectName, scope: Scope): Shared {
  const own = configurationOf(client);
  const file = fileOf(CLIENTS[client], own.files, scope);
  const others = CONNECT_NAMES.filter((name) => name !== client && configurationOf(name).root === own.root);
  const isSame = (name: ConnectName) =>
    SCOPES.some((each) => fileOf(CLIENTS[name], configurationOf(name).files, each) === file);
  return [own, ...others.filter(isSame).map(configurationOf)];
}

/** Those of a project are the decision of each of its people. */
function approvalsOf(name: ConnectName, scope: Scope): Approvals | undefined {
  const { approvals }: Client = CLIENTS[name];
  return scope === 'user' ? approvals : undefined;
}

function inHome({ file }: Approvals): Files {
  return { user: file, project: file };
}

function withInstallation(text: string, installation: HookInstallation, connection: Connection, ledger: Ledger) {
  return installation.layout === 'plugin'
    ? withPlugin(text, connection)
    : withHooks(text, installation, connection, ledger);
}

function withoutInstallation(text: string, installation: HookInstallation, scope: Scope, ledger: Ledger): string {
  if (installation.layout === 'plugin') return agentOfPlugin(text) === undefined ? text : '';
  return text.trim() === '' ? text : withoutHooks(text, installation, scope, ledger);
}

/** Whether nothing is left but what a new file would begin with. */
export function isBare(text: string): boolean {
  return /^\s*(?:\{\s*(?:"version"\s*:\s*1\s*)?\}\s*)?$/.test(text);
}

/** Applies the edit to the text of a person's file. Says how to proceed if it is not in the expected form. */
export function edited(file: string, edit: (text: string) => string): string {
  try {
    return edit(textOfFile(file));
  } catch (error) {
    if (error instanceof ForeignContentError) throw new CommandError(`${file} was not changed: ${error.message}`);
    if (!(error instanceof JsonSyntaxError || error instanceof TomlFormError)) throw error;
    throw new CommandError(
      `${file} was not changed: ${error.message}; fix it, or add the output of agenthub connect without --write by hand`,
    );
  }
}
