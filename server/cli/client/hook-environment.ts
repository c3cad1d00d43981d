// What the process that runs a hook passes on to it.
import { basename } from 'node:path';

const { env } = process;

/** The variable to which the configuration of a project refers. */
export function referencedToken(): string | undefined {
  return env.HUB_TOKEN || undefined;
}

/**
 * The configuration of the Claude Code plugin, which Claude Code keeps and passes to its hooks. Without an alias, each
 * project has a separate agent, named after its directory. Undefined outside of the plugin.
 */
export function pluginConnection(): { url: string; token: string; alias: string } | undefined {
  const { CLAUDE_PLUGIN_OPTION_HUB_URL: url, CLAUDE_PLUGIN_OPTION_HUB_TOKEN: token } = env;
  if (!url || !token) return undefined;
  const alias = env.CLAUDE_PLUGIN_OPTION_ALIAS || basename(env.CLAUDE_PROJECT_DIR || process.cwd());
  return { url: url.replace(/\/+$/, ''), token, alias };
}

/** The directory of the plugin whose hook this is. */
export function pluginDirectory(): string | undefined {
  return env.CLAUDE_PLUGIN_ROOT || undefined;
}

/** Whether a person sees the session. `claude -p` waits for its hooks, so a waiter would keep it from ending. */
export function isAttended(): boolean {
  return (env.CLAUDE_CODE_ENTRYPOINT ?? 'cli') === 'cli';
}
