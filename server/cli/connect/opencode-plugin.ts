// The plugin that takes the place of hooks in OpenCode: its text for an agent, and the agent of a text.
import type { Agent } from '../../domain/clients/setup.ts';
import { ForeignContentError } from './foreign-content.ts';
import pluginText from './opencode-plugin.txt' with { type: 'text' };

/** Replaces only a plugin that `connect` wrote. */
export function withPlugin(text: string, agent: Agent): string {
  if (text.trim() !== '' && agentOfPlugin(text) === undefined)
    throw new ForeignContentError('it is another plugin, which agenthub connect did not write; rename or remove it');
  return openCodePlugin(agent);
}

function openCodePlugin({ url, alias }: Agent): string {
  return pluginText.replace('__CONNECTION__', () => JSON.stringify({ url, alias }));
}

const LITERAL = String.raw`("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")`;
const CONNECTION = new RegExp(`^const CONNECTION = \\{"url":${LITERAL},"alias":${LITERAL}\\};$`, 'imu');

const HEADER = '// agenthub for OpenCode, written by `agenthub connect';

/** Undefined if `connect` did not write the file. */
export function agentOfPlugin(text: string): Agent | undefined {
  const [, url, alias] = text.startsWith(HEADER) ? (CONNECTION.exec(text) ?? []) : [];
  return url === undefined || alias === undefined ? undefined : { url: JSON.parse(url), alias: JSON.parse(alias) };
}
