// The table of all commands that talk to a running hub: name, parameters, options, examples and implementation.
import * as fields from '../../domain/fields.ts';
import {
  MAX_IDEMPOTENCY_KEY,
  MAX_INBOX_LIMIT,
  MAX_REASON,
  MAX_REST_LIMIT,
  MAX_TEXT,
  MAX_TTL_SECONDS,
} from '../../domain/limits.ts';
import { STATUS_FILTERS } from '../../domain/session.ts';
import { OUTCOMES, TASK_STATUSES } from '../../domain/task-status.ts';
import { ALIAS, type CommandFamily, type CommandRow, choice, HUB_URL, OUTPUT, option } from '../command.ts';
import { HOOK_COMMANDS } from '../hooks/commands.ts';
import { OWN_COMMANDS } from '../own-commands.ts';
import { name, orTrue, seconds, taking, wholeNumber } from '../readers.ts';
import { ACCESS_COMMANDS } from './access/commands.ts';
import { HUB_OPTIONS } from './access/hub-options.ts';

const DAY = 86_400;
const PRIORITIES = ['high', 'normal', 'low'];

const FROM = option('--from <alias>', 'sender (default: hub)', name);
const ACTOR = option('--from <alias>', 'alias recorded as the actor (default: hub)', name);
const KEY = option(
  '--idempotency-key <key>',
  'idempotency key; a second call with the same key within 24 hours returns the first result',
  taking(fields.text(MAX_IDEMPOTENCY_KEY, 1)),
);
const WAIT = option(
  '--wait [seconds]',
  'wait until the task is settled, print its result, and exit with its outcome',
  orTrue(wholeNumber(1, DAY)), // a bare --wait has no timeout
);
WAIT.flags = '--wait[=seconds]';
const TEXT_FROM_INPUT = 'If TEXT is -, it is read from standard input.';

const INSPECT: readonly CommandRow[] = [
  {
    name: 'status',
    parameters: '[alias]',
    takes: { alias: name },
    about: 'list agents and their current tasks, or show one agent in detail',
    options: [choice('--status <status>', 'show only agents with this status', STATUS_FILTERS), OUTPUT],
    examples: ['agenthub status', 'agenthub status --status working', 'agenthub status builder -o json'],
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'tasks',
    about: 'list tasks, newest first',
    options: [
      choice('--status <status>', 'show only tasks with this status', TASK_STATUSES),
      option('--to <alias>', 'show only tasks for this agent', name),
      option('--from <alias>', 'show only tasks from this sender', name),
      choice('--priority <priority>', 'show only tasks with this priority', PRIORITIES),
      option('--text <text>', 'show only tasks with this text in the content or the result', name),
      option('--limit <count>', 'tasks per page (default: 50)', wholeNumber(1, MAX_REST_LIMIT)),
      option('--cursor <cursor>', 'continue after the previous page', name),
      OUTPUT,
    ],
    examples: ['agenthub tasks --status failed', 'agenthub tasks --to builder --limit 10 -o json'],
    load: async () => (await import('./tasks.ts')).tasks,
  },
  {
    name: 'task',
    parameters: '<id>',
    takes: { id: name },
    about: 'show a task: its progress, result and history',
    options: [OUTPUT],
    examples: ['agenthub task task_4Zb…', 'agenthub task task_4Zb… -o json | jq -r .task.result'],
    load: async () => (await import('./task.ts')).task,
  },
  {
    name: 'watch',
    about: 'follow the network live, one line per event',
    options: [
      choice('-o, --output <format>', 'lines for people, json for scripts (one event per line)', [
        'lines',
        'json',
      ]).default('lines'),
    ],
    notes: 'On a terminal, the last line shows the number of agents and tasks. Press Ctrl-C to stop.',
    examples: ['agenthub watch', 'agenthub watch -o json | jq -c \'select(.type == "task" and .status == "failed")\''],
    load: async () => (await import('./watch.ts')).watch,
  },
];

const SEND_AND_CONTROL: readonly CommandRow[] = [
  {
    name: 'send',
    parameters: '<alias> <text>',
    takes: { alias: name },
    about: 'send a task to an agent',
    options: [
      choice('--priority <priority>', 'priority of the task (default: normal)', PRIORITIES),
      option('--context <text>', 'background information for the agent', taking(fields.text(MAX_TEXT))),
      option(
        '--ttl <seconds>',
        'expiry: the task expires if it is not started within this time (default: 3600)',
        wholeNumber(1, MAX_TTL_SECONDS),
      ),
      FROM,
      KEY,
      WAIT,
      OUTPUT,
    ],
    notes: `${TEXT_FROM_INPUT}\nWith --wait, the exit code is 0 if the task was replied to, 5 if it failed, was cancelled or expired, and 6 on timeout.`,
    examples: [
      'agenthub send builder "run the test suite"',
      'agenthub send --wait=600 --priority high builder "run the test suite" && echo green',
      'git diff | agenthub send --wait reviewer -',
    ],
    load: async () => (await import('./send.ts')).send,
  },
  {
    name: 'message',
    parameters: '<alias> <text>',
    takes: { alias: name },
    about: 'send an agent a message that does not start work',
    options: [FROM, KEY, OUTPUT],
    notes: TEXT_FROM_INPUT,
    examples: ['agenthub message builder "the staging host is back"'],
    load: async () => (await import('./messages.ts')).message,
  },
  {
    name: 'broadcast',
    parameters: '<text>',
    about: 'send a message to every online agent',
    options: [FROM, KEY, OUTPUT],
    notes: TEXT_FROM_INPUT,
    examples: ['agenthub broadcast "main is frozen until noon"'],
    load: async () => (await import('./messages.ts')).broadcast,
  },
  {
    name: 'cancel',
    parameters: '<id>',
    takes: { id: name },
    about: 'cancel a task and notify its agent',
    options: [option('--reason <text>', 'reason for the cancellation', taking(fields.text(MAX_REASON))), ACTOR, OUTPUT],
    examples: ['agenthub cancel task_4Zb… --reason "no longer needed"'],
    load: async () => (await import('./task-actions.ts')).cancel,
  },
  {
    name: 'retry',
    parameters: '<id>',
    takes: { id: name },
    about: 'deliver a failed, cancelled or expired task again',
    options: [option('--to <alias>', 'deliver it to another agent', name), ACTOR, OUTPUT],
    examples: [
      'agenthub retry task_4Zb…',
      'agenthub retry task_4Zb… --to builder-2',
      "agenthub tasks --status failed -o json | jq -r '.tasks[].task_id' | xargs -n1 agenthub retry",
    ],
    load: async () => (await import('./task-actions.ts')).retry,
  },
  {
    name: 'reassign',
    parameters: '<id> <alias>',
    takes: { id: name, alias: name },
    about: 'deliver a task to another agent, as the next attempt',
    options: [ACTOR, OUTPUT],
    examples: ['agenthub reassign task_4Zb… builder-2'],
    load: async () => (await import('./task-actions.ts')).reassign,
  },
];

const ACT_AS_AGENT: readonly CommandRow[] = [
  {
    name: 'inbox',
    about: "show an agent's inbox, acting as that agent",
    options: [
      ALIAS,
      option('--limit <count>', 'number of messages (default: 10)', wholeNumber(1, MAX_INBOX_LIMIT)),
      option(
        '--ack <id>',
        'acknowledge this message instead of listing the inbox; acknowledging a task starts it',
        name,
      ),
      OUTPUT,
    ],
    examples: ['agenthub inbox --alias builder', 'agenthub inbox --alias builder --ack task_4Zb…'],
    load: async () => (await import('./messages.ts')).inbox,
  },
  {
    name: 'reply',
    parameters: '<id> <text>',
    takes: { id: name },
    about: 'settle a task with a reply',
    options: [
      choice('--status <outcome>', 'outcome of the task (default: replied)', OUTCOMES),
      FROM,
      option('--to <alias>', 'recipient (default: the sender of the task)', name),
      KEY,
      OUTPUT,
    ],
    notes: TEXT_FROM_INPUT,
    examples: [
      'agenthub reply task_4Zb… "all green" --from builder',
      'agenthub reply task_4Zb… --status failed "no such branch"',
    ],
    load: async () => (await import('./task-actions.ts')).reply,
  },
  {
    name: 'wait',
    about: 'wait until an agent has mail: exit 0 with a one-line summary, or 6 on timeout',
    options: [
      ALIAS,
      HUB_URL,
      option('--timeout <seconds>', 'maximum time to wait', seconds(0, DAY)).default(300),
      option('--new', 'only for mail that no session of the agent was told about; the mail stays unfetched'),
      OUTPUT,
    ],
    notes:
      'Designed for agent hooks and scripts. Returns at once if mail is pending. Mail stays pending until it is acknowledged.',
    examples: [
      'agenthub wait --alias builder',
      'agenthub wait --alias builder --timeout 30 && agenthub inbox --alias builder',
    ],
    load: async () => (await import('../hooks/wait.ts')).wait,
  },
  {
    name: 'work',
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
      'If a task is withdrawn, the process group of COMMAND receives SIGTERM, then SIGKILL after the grace period. If the hub restarts, the',
      'worker waits and delivers the result exactly once. If a worker is killed, the next worker with the same alias runs its task again.',
      'After the first SIGTERM or SIGINT, the worker finishes the running task and takes no new one. A second signal stops COMMAND and returns',
      'the task to the inbox.',
    ].join('\n'),
    examples: [
      'agenthub work --alias builder -- ./build.sh',
      'agenthub work --alias counter -- wc -w',
      'agenthub work --alias coder -- claude -p',
    ],
    load: async () => (await import('../worker/work.ts')).work,
  },
];

/** The headings of `agenthub --help` and the commands under each, in order. */
export const CLIENT_COMMANDS: Readonly<Record<string, readonly (CommandRow | CommandFamily)[]>> = {
  'Sign in to a hub:': ACCESS_COMMANDS,
  'Inspect:': INSPECT.map(onHub),
  'Send and control:': SEND_AND_CONTROL.map(onHub),
  'Act as an agent:': ACT_AS_AGENT.map(onHub),
  'Connect coding agents:': HOOK_COMMANDS,
  'About this program:': OWN_COMMANDS,
};

function onHub(row: CommandRow): CommandRow {
  return { ...row, options: [...(row.options ?? []), ...HUB_OPTIONS] };
}
