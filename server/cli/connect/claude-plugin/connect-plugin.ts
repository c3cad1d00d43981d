// connect claude --plugin: writes the plugin for Claude Code to a directory, permits its tools, and prints the line
// that installs it. `--remove` takes both back.
import { existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { credentialsFile } from '../../client/access/access.ts';
import { thisProgram } from '../../this-program.ts';
import { shellWord } from '../command-line.ts';
import { edited, isBare } from '../edits.ts';
import { readJson, removeFromJson, setInJson } from '../json-text.ts';
import { itemIn, withItem } from '../list-items.ts';
import { deleteFile, replaceFile, textOfFile } from '../replace-file.ts';
import { PLUGIN, PLUGIN_PERMISSION, pluginFiles } from './files.ts';

/** Without an alias, each project has its own. */
export type PluginConnection = { url: string; token: string; alias: string | undefined };

const ALLOWED = ['permissions', 'allow'];

function directory(): string {
  return join(dirname(credentialsFile()), 'claude-plugin');
}

function settingsFile(): string {
  return join(homedir(), '.claude', 'settings.json');
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
  const files = pluginFiles(thisProgram(), connection.url);
  const settings = edited(settingsFile(), permitted);
  for (const [file, text] of Object.entries(files)) replacePluginFile(join(directory(), file), text);
  replaceFile(settingsFile(), settings, { isSecret: false });
  return [
    `wrote ${directory()}`,
    `permitted ${PLUGIN_PERMISSION} in ${settingsFile()}`,
    'Install it with this line. An installed plugin is already up to date; it is read from there by the next session.',
    `  ${installLine(connection)}`,
  ].join('\n\n');
}

// These files are agenthub's own, so no backup is kept.
function replacePluginFile(file: string, text: string): void {
  rmSync(file, { force: true });
  replaceFile(file, text, { isSecret: false });
}

export function removePlugin(): string {
  const settings = edited(settingsFile(), forbidden);
  const isPermitted = settings !== textOfFile(settingsFile());
  if (!existsSync(directory()) && !isPermitted) return 'Claude Code has no plugin of agenthub here';
  if (isPermitted && isBare(settings)) deleteFile(settingsFile());
  else if (isPermitted) replaceFile(settingsFile(), settings, { isSecret: false });
  rmSync(directory(), { recursive: true, force: true });
  return [
    `deleted ${directory()}, and removed its permission from ${settingsFile()}. To uninstall it:`,
    `  claude plugin uninstall ${PLUGIN}@${PLUGIN}; claude plugin marketplace remove ${PLUGIN}`,
  ].join('\n\n');
}

function permitted(settings: string): string {
  return setInJson(settings, ...withItem(readJson(settings), ALLOWED, PLUGIN_PERMISSION));
}

function forbidden(settings: string): string {
  const path = settings.trim() === '' ? undefined : itemIn(readJson(settings), ALLOWED, PLUGIN_PERMISSION);
  return path === undefined ? settings : removeFromJson(settings, path);
}
