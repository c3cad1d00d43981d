// What a hook of the plugin says when a session starts: the alias of the agent, and that the plugin is out of date.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HookResponse, SESSION_START } from '../../domain/clients/client.ts';
import { VERSION } from '../../version.ts';
import { pluginConnection, pluginDirectory } from '../client/hook-environment.ts';
import { MANIFEST } from '../connect/claude-plugin/files.ts';
import { memberOf, readJson } from '../connect/text/json-text.ts';
import type { EventInput } from './event-input.ts';

/** Empty outside of the plugin, and for other events. */
export function pluginGreeting(alias: string, event: EventInput): HookResponse {
  if (pluginConnection() === undefined || event['hook_event_name'] !== SESSION_START) return {};
  const installed = installedVersion();
  const additionalContext = `Your alias at agenthub is ${JSON.stringify(alias)}.`;
  return {
    hookSpecificOutput: { hookEventName: SESSION_START, additionalContext },
    ...(installed !== undefined &&
      installed !== VERSION && {
        systemMessage: `agenthub is now version ${VERSION}, its plugin is ${installed}: run agenthub connect claude --plugin --write`,
      }),
  };
}

function installedVersion(): string | undefined {
  const directory = pluginDirectory();
  if (directory === undefined) return undefined;
  try {
    const version = memberOf(readJson(readFileSync(join(directory, MANIFEST), 'utf8')), 'version');
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined; // a session must not fail because of this
  }
}
