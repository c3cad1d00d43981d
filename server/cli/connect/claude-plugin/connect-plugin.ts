// connect claude --plugin: writes the plugin for Claude Code to a directory, permits its tools, and prints the line
// that installs it. `--remove` takes both back.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLAUDE } from '../../../domain/clients/claude.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';
import { configurationDirectory } from '../../client/access/private-file.ts';
import { thisProgram } from '../../this-program.ts';
import { fileOf } from '../client-files.ts';
import { edited, isBare } from '../edits.ts';
import { readJson, removeFromJson, setInJson } from '../json-text.ts';
import { itemIn, withItem } from '../list-items.ts';
import { changeFiles, textOfFile } from '../replace-file.ts';
import { PLUGIN, PLUGIN_PERMISSION, pluginFiles } from './files.ts';

/** Without an alias, each project has its own. */
export type PluginConnection = { url: string; token: string; alias: string | undefined };

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
  const settings = { file: settingsFile(), text: edited(settingsFile(), permitted), isSecret: false };
  const files = Object.entries(pluginFiles(thisProgram(), connection.url));
  changeFiles([settings], () => {
    for (const [file, text] of files) writePluginFile(join(directory(), file), text);
  });
  return [
    `wrote ${directory()}`,
    `permitted ${PLUGIN_PERMISSION} in ${settingsFile()}`,
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
  const settings = edited(settingsFile(), forbidden);
  const isPermitted = settings !== textOfFile(settingsFile());
  if (!existsSync(directory()) && !isPermitted) return 'Claude Code has no plugin of agenthub here';
  const text = isBare(settings) ? undefined : settings;
  if (isPermitted) changeFiles([{ file: settingsFile(), text, isSecret: false }]);
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
