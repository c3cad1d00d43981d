// The table of the commands that connect coding agents to a hub.
import { CONNECT_NAMES, HOOK_NAMES } from '../../domain/clients/clients.ts';
import { SCOPES } from '../../domain/clients/setup.ts';
import { HUB_OPTIONS } from '../client/access/hub-options.ts';
import { pluginConnection } from '../client/hook-environment.ts';
import { ALIAS, type CommandRow, choice, HUB_URL, option } from '../command.ts';
import { name, wholeNumber } from '../readers.ts';

const MAX_PID = 2 ** 31 - 1;
/** The hooks of the plugin name neither: its configuration does. */
const AGENT = option(ALIAS.flags, ALIAS.description, name).default(pluginConnection()?.alias).makeOptionMandatory();

export const HOOK_COMMANDS: readonly CommandRow[] = [
  {
    name: 'hook',
    parameters: '<client>',
    takes: { client: HOOK_NAMES },
    about: 'pass a hook event of a coding agent to the hub, and print the response in its form',
    options: [AGENT, HUB_URL, ...HUB_OPTIONS],
    notes:
      'For the hooks that `agenthub connect --hooks` writes. The event is read from standard input. Prints nothing if there is no mail or the hub is down.',
    examples: ['agenthub hook codex --alias builder < event.json'],
    load: async () => (await import('./hook.ts')).hook,
  },
  {
    name: 'wake',
    about: 'wait until an idle session of a coding agent has new mail, then wake it',
    options: [
      AGENT,
      HUB_URL,
      // Clients may let a model run `agenthub wake --session` without asking, so nothing in it may run other programs.
      option(
        '--session <id>',
        'session to wake (default: the session_id of the event on standard input)',
        name,
      ).conflicts(['exec', 'detached']),
      option(
        '--exec <command>',
        'run this command for each notice, in the background; {session} and {line} are replaced',
        name,
      ),
      option('--detached <session>', 'continue in the background for this session', name).hideHelp(),
      option('--owner <pid>', 'end when this process ends', wholeNumber(1, MAX_PID)).hideHelp(),
      ...HUB_OPTIONS,
    ],
    notes: [
      'For the hooks that `agenthub connect --hooks` writes. Without --exec, it prints one line to standard error and exits',
      'with 2, which wakes an idle session of Claude Code. With --session, it prints the line to standard output and exits',
      'with 0, for a background shell whose end wakes Copilot CLI or Qwen Code; a hook tells their models the command.',
      'Ends with its session, and when a newer waiter of the session starts.',
    ].join('\n'),
    examples: [
      'agenthub wake --alias builder < event.json',
      'agenthub wake --alias builder --session 019c',
      "agenthub wake --alias builder --exec 'codex queue --thread {session} --message {line}' < event.json",
    ],
    load: async () => (await import('./wake.ts')).wake,
  },
  {
    name: 'connect',
    parameters: '<client>',
    takes: { client: CONNECT_NAMES },
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
      option('--alias <alias>', "the agent's alias (default: the client's name)", name),
      option('--hooks', 'include the hooks that tell the agent about new mail, and wake it where its client allows'),
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
  },
];
