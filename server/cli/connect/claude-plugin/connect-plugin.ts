// connect claude --plugin: writes the plugin for Claude Code to a directory, permits its tools, and prints the line
// that installs it. `--remove` takes both back.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLAUDE } from '../../../domain/clients/claude.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { readRecords } from '../../client/access/connection-records.ts';
import { configurationDirectory } from '../../client/access/private-file.ts';
import { thisProgram } from '../../this-program.ts';
import { fileOf } from '../client-files.ts';
import { edited, isBare } from '../edits.ts';
import { UNRECORDED } from '../foreign-content.ts';
import { type Ledger, ledgerOf, mayRemove } from '../ledger.ts';
import { itemIn, withItem } from '../list-items.ts';
import { originalOf, removeRecorded, writeRecorded } from '../recorded-change.ts';
import { targetOf, textOfFile } from '../replace-file.ts';
import { readJson, removeFromJson, setInJson } from '../text/json-text.ts';
import { PLUGIN, PLUGIN_PERMISSION, pluginFiles } from './files.ts';

/** Without an alias, each project has its own. */
export type PluginConnection = { url: string; token: string; alias: string | undefined };

const OWNED = { owner: 'claude/plugin', isSecret: false };
const ALLOWED = ['permissions', 'allow'];

function directory(): string {
  return join(configurationDirectory(), 'claude-plugin');
}

function settingsFile(): string {
  return fileOf(CLAUDE, CLAUDE.hooks.installation.files, 'user');
}

/** The single command that a person runs. */
function installLine({ url, token, alias }: PluginConnection): string {
  const values = [`hub_url=${url}`, `hub_token=${token}`, ...(alias === undefined ? [] : [`alias=${alias}`])];
  const options = values.flatMap((value) => ['--config', value]);
  return ['claude', 'plugin', 'install', PLUGIN, '--marketplace', directory(), ...options].map(shellWord).join(' ');
}

export function printPlugin(connection: PluginConnection): string {
  return [
    `In ${directory()}: the plugin, which runs ${thisProgram().join(' ')}`,
    `In ${settingsFile()}: the permission ${PLUGIN_PERMISSION}`,
    'agenthub connect claude --plugin --write writes both. Then, to install it:',
    `  ${installLine(connection)}`,
  ].join('\n\n');
}

export function writePlugin(connection: PluginConnection): string {
  const file = settingsFile();
  const settings = { ...OWNED, file, text: edited(file, permitted), isFree: true };
  const files = Object.entries(pluginFiles(thisProgram(), connection.url));
  writeRecorded([settings], () => {
    for (const [path, text] of files) writePluginFile(join(directory(), path), text);
  });
  return [
    `wrote ${directory()}`,
    `permitted ${PLUGIN_PERMISSION} in ${file}`,
    'Install it with this line. An installed plugin is already up to date; it is read from there by the next session.',
    `  ${installLine(connection)}`,
  ].join('\n\n');
}

/** These files are agenthub's own, so no backup is kept. */
function writePluginFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

export function removePlugin(): string {
  const file = settingsFile();
  const notes: string[] = [];
  const text = textWithoutPermission(file, notes);
  const isPermitted = text !== textOfFile(file) && existsSync(file);
  const kept = notes.map((what) => `kept ${what} in ${file}`);
  if (!existsSync(directory()) && !isPermitted)
    return ['Claude Code has no plugin of agenthub here', ...kept].join('\n');
  if (existsSync(file)) removeRecorded([{ ...OWNED, file, text }]);
  rmSync(directory(), { recursive: true, force: true });
  return [
    `deleted ${directory()}${isPermitted ? `, and removed its permission from ${file}` : ''}. To uninstall it:`,
    `  claude plugin uninstall ${PLUGIN}@${PLUGIN}; claude plugin marketplace remove ${PLUGIN}`,
    ...kept,
  ].join('\n\n');
}

/** Undefined if the file is to be deleted. */
function textWithoutPermission(file: string, notes: string[]): string | undefined {
  const records = readRecords();
  const known = records[targetOf(file)];
  const original = known?.owners.every((owner) => owner === OWNED.owner) ? originalOf(records, file) : undefined;
  if (original !== undefined) return original ?? undefined;
  const left = edited(file, (settings) => forbidden(settings, ledgerOf(known, notes)));
  return known?.isCreated && isBare(left) ? undefined : left;
}

function permitted(settings: string): string {
  return setInJson(settings, ...withItem(readJson(settings), ALLOWED, PLUGIN_PERMISSION));
}

function forbidden(settings: string, ledger: Ledger): string {
  const path = settings.trim() === '' ? undefined : itemIn(readJson(settings), ALLOWED, PLUGIN_PERMISSION);
  if (path === undefined) return settings;
  if (ledger.isAdded(ALLOWED, PLUGIN_PERMISSION)) return removeFromJson(settings, path, mayRemove(ledger));
  if (!ledger.hasRecord) ledger.keep(`${PLUGIN_PERMISSION}, ${UNRECORDED},`);
  return settings;
}
