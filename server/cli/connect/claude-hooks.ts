// The Claude Code hooks that report the agent's activity to the hub and notify the agent of new mail.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Connection, type Scope, TOKEN_VARIABLE } from './clients.ts';
import { type JsonPath, memberOf } from './json-text.ts';

const EVENTS = ['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'];
const PATH = '/hooks/claude-code';
const TIMEOUT_SECONDS = 5;

/** For a project, the file that Claude Code keeps out of version control, because an alias belongs to one person. */
export function hooksFile(scope: Scope): string {
  return scope === 'user'
    ? join(homedir(), '.claude', 'settings.json')
    : join(process.cwd(), '.claude', 'settings.local.json');
}

/** Adds the hooks to the existing ones. Replaces the hook of an earlier connection. */
export function claudeHooks(
  settings: unknown,
  { url, token, scope, alias }: Connection,
): (readonly [JsonPath, unknown])[] {
  const isReference = scope === 'project';
  const hook = {
    type: 'http',
    url: `${url}${PATH}?alias=${encodeURIComponent(alias)}`,
    headers: { Authorization: `Bearer ${isReference ? `$${TOKEN_VARIABLE}` : token}` },
    ...(isReference && { allowedEnvVars: [TOKEN_VARIABLE] }),
    timeout: TIMEOUT_SECONDS,
  };
  return EVENTS.map((event) => [
    ['hooks', event, placeIn(memberOf(memberOf(settings, 'hooks'), event))],
    { hooks: [hook] },
  ]);
}

function placeIn(groups: unknown): number {
  if (!Array.isArray(groups)) return 0;
  const own = groups.findIndex((group) => isOwn(memberOf(group, 'hooks')));
  return own >= 0 ? own : groups.length;
}

// A group to which a person added hooks must not be replaced.
function isOwn(hooks: unknown): boolean {
  return Array.isArray(hooks) && hooks.length === 1 && String(memberOf(hooks[0], 'url')).includes(PATH);
}
