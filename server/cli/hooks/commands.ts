// The table of the commands that clients run as hooks. The executable has a separate script for them: see main.ts.
import type { Client } from '../../domain/clients/client.ts';
import { CLIENTS, HOOK_NAMES } from '../../domain/clients/clients.ts';
import { HUB_OPTIONS } from '../client/access/hub-options.ts';
import { pluginConnection } from '../client/hook-environment.ts';
import { ALIAS, type CommandRow, HUB_URL, option } from '../command.ts';
import { name, wholeNumber } from '../readers.ts';

const MAX_PID = 2 ** 31 - 1;
/** The hooks of the plugin name neither: its configuration does. */
const AGENT = option(ALIAS.flags, ALIAS.description, name).default(pluginConnection()?.alias).makeOptionMandatory();

export const HOOK_COMMANDS: readonly CommandRow[] = [
  {
    name: 'hook',
    parameters: '<client>',
    takes: { client: HOOK_NAMES },
    hint: (name) => {
      const { hook } = Object.entries<Client>(CLIENTS).find(([each]) => each === name)?.[1].setup ?? {};
      return hook && `Did you mean ${hook}?`;
    },
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
];
