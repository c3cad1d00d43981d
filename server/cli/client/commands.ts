// The table of all commands that talk to a running hub: name, parameters, options, examples and implementation.
import { STATUS_FILTERS } from '../../domain/session.ts';
import { ALIAS, type CommandFamily, type CommandRow, choice, HUB_URL, OUTPUT, option } from '../command.ts';
import { AGENTS } from '../data/agent-commands.ts';
import { HOOK_COMMANDS } from '../hooks/commands.ts';
import { CONNECT } from '../hooks/connect-command.ts';
import { OWN_COMMANDS } from '../own/commands.ts';
import { name, seconds } from '../readers.ts';
import { ACCESS_COMMANDS } from './access/commands.ts';
import { HUB_OPTIONS } from './access/hub-options.ts';
import { MESSAGES } from './message-commands.ts';
import { TASKS } from './task-commands.ts';

const DAY = 86_400;

/** The family also has the commands of operators, which need no token. */
const ACT_AS_AGENT: CommandFamily = {
  ...AGENTS,
  commands: [
    {
      name: 'status',
      short: 'status',
      parameters: '[alias]',
      takes: { alias: name },
      about: 'list agents and their current tasks, or show one agent in detail',
      options: [choice('--status <status>', 'show only agents with this status', STATUS_FILTERS), OUTPUT],
      examples: [
        'agenthub agent status',
        'agenthub agent status --status working',
        'agenthub agent status builder -o json',
      ],
      load: async () => (await import('./status.ts')).status,
    },
    {
      name: 'wait',
      short: 'wait',
      about: 'wait until an agent has mail: exit 0 with a one-line summary, or 6 on timeout',
      options: [
        ALIAS,
        HUB_URL,
        option('--timeout <seconds>', 'maximum time to wait', seconds(0, DAY)).default(300),
        option('--new', 'only for mail that no session of the agent was told about'),
        OUTPUT,
      ],
      notes:
        'Designed for agent hooks and scripts. Returns at once if mail is pending. Mail stays pending until it is acknowledged. The line leaves it unfetched, so that hooks still mention it; -o json prints the messages whole, which fetches them.',
      examples: [
        'agenthub agent wait --alias builder',
        'agenthub agent wait --alias builder --timeout 30 && agenthub message list --alias builder',
      ],
      load: async () => (await import('../hooks/wait.ts')).wait,
    },
    {
      name: 'work',
      short: 'work',
      parameters: '<command...>',
      about: 'act as an agent: run COMMAND for each task and reply with its output',
      options: [
        ALIAS,
        option('--once', 'exit after one task: 0 if it succeeded, 5 if it did not'),
        option(
          '--grace <seconds>',
          'time between SIGTERM and SIGKILL when a task is withdrawn: cancelled, reassigned or settled elsewhere',
          seconds(0, 3_600),
        ).default(10),
        option(
          '--report-every <seconds>',
          'interval between output reports while COMMAND runs',
          seconds(0.1, 60),
        ).default(3),
        option('--take-over', 'take over an alias that is in use; if another worker is using it, that worker exits'),
        option('--pass-token', 'keep the token in the environment of COMMAND, so that it can act in the network'),
      ],
      notes: [
        'Tasks run one at a time, high priority first. COMMAND receives the task on standard input, and AGENTHUB_TASK_ID, AGENTHUB_TASK_FROM,',
        'AGENTHUB_TASK_PRIORITY, AGENTHUB_TASK_CONTEXT and AGENTHUB_TASK_ATTEMPT in its environment. The tokens and passwords of agenthub are',
        'removed from that environment. Exit code 0 replies with the last 10,000 characters of standard output. Any other code fails the task',
        'with the code and the end of standard error. A line "agenthub:progress 40" sets the progress and is not part of the output.',
        '',
        'If a task is withdrawn, the process group of COMMAND receives SIGTERM, then SIGKILL after the grace period. If the hub restarts, the',
        'worker waits and delivers the result exactly once. If a worker is killed, the next worker with the same alias runs its task again.',
        '',
        'After the first SIGTERM or SIGINT, the worker finishes the running task and takes no new one. A second signal stops COMMAND and returns',
        'the task to the inbox.',
      ].join('\n'),
      examples: [
        'agenthub agent work --alias builder -- ./build.sh',
        'agenthub agent work --alias counter -- wc -w',
        'agenthub agent work --alias coder -- claude -p',
      ],
      load: async () => (await import('../worker/work.ts')).work,
    },
  ],
};

const EVENTS: CommandFamily = {
  name: 'event',
  about: 'follow the events of a network',
  commands: [
    {
      name: 'watch',
      short: 'watch',
      about: 'follow the network live, one line per event',
      options: [
        choice('-o, --output <format>', 'lines for people, json for scripts (one event per line)', [
          'lines',
          'json',
        ]).default('lines'),
      ],
      notes: 'On a terminal, the last line shows the number of agents and tasks. Press Ctrl-C to stop.',
      examples: [
        'agenthub event watch',
        'agenthub event watch -o json | jq -c \'select(.type == "task" and .status == "failed")\'',
      ],
      load: async () => (await import('./watch.ts')).watch,
    },
  ],
};

/** The headings of `agenthub --help` and the commands under each, in order. */
export const CLIENT_COMMANDS: Readonly<Record<string, readonly (CommandRow | CommandFamily)[]>> = {
  'Sign in to a hub:': ACCESS_COMMANDS,
  'Work with agents, tasks and messages:': [ACT_AS_AGENT, TASKS, MESSAGES, EVENTS].map(onHub),
  'Connect coding agents:': [...HOOK_COMMANDS, CONNECT],
  'About this program:': OWN_COMMANDS,
};

function onHub({ commands, ...family }: CommandFamily): CommandFamily {
  const onHub = commands.map((row) => ({ ...row, options: [...(row.options ?? []), ...HUB_OPTIONS] }));
  return { ...family, commands: onHub };
}
