// The command that connects a coding agent to a hub.
import { CONNECT_NAMES, connectNameOf, HOOK_NAMES, hookClient } from '../../domain/clients/clients.ts';
import { SCOPES } from '../../domain/clients/setup.ts';
import { HUB_OPTIONS } from '../client/access/hub-options.ts';
import { type CommandRow, choice, option } from '../command.ts';
import { name } from '../readers.ts';

export const CONNECT: CommandRow = {
  name: 'connect',
  parameters: '<client>',
  takes: { client: CONNECT_NAMES },
  hint: (name) => {
    const hook = HOOK_NAMES.find((each) => each === name);
    const connect = hook && connectNameOf(hook);
    if (hook === undefined || connect !== undefined) return connect && `Did you mean ${connect}?`;
    return `Add ${hookClient(hook).setup.title} by hand: its configuration and the hook \`agenthub hook ${hook} --alias NAME\`.`;
  },
  about: 'connect a coding agent to this hub and verify the connection',
  options: [
    option(
      '--write',
      "write the client's configuration instead of printing it; existing settings are kept and backed up",
    ),
    choice(
      '--scope <scope>',
      'user: for all your projects, includes the token; project: for this directory, refers to HUB_TOKEN',
      SCOPES,
    ),
    option('--alias <alias>', "the agent's alias (default: that of its hooks, or the client's name)", name),
    option(
      '--hooks',
      'include the hooks that tell the agent about new mail, and wake it where its client allows; hooks that are ' +
        'installed are always included',
    ),
    option('--plugin', 'for Claude Code: as a plugin for all your projects, with the hooks'),
    option('--remove', 'take back what --write has written'),
    ...HUB_OPTIONS,
  ],
  examples: [
    'agenthub connect claude',
    'agenthub connect claude --write --hooks --alias reviewer',
    'agenthub connect claude --plugin --write',
    'agenthub connect codex --write',
    'agenthub connect claude --remove',
  ],
  load: async () => (await import('../connect/connect.ts')).connect,
};
