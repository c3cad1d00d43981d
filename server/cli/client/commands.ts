// Every command that speaks to a running hub, on one page: name, parameters, options, examples, and what runs.
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
import { OUTCOMES, TASK_STATUSES } from '../../domain/task.ts';
import { type CommandRow, choice, OUTPUT, option } from '../command.ts';
import { CLIENT_NAMES } from '../connect/clients.ts';
import { OWN_COMMANDS } from '../own-commands.ts';
import { name, seconds, taking, wholeNumber } from '../readers.ts';

const DAY = 86_400;
const PRIORITIES = ['high', 'normal', 'low'];

const FROM = option('--from <alias>', 'whom it comes from (default: hub)', name);
const KEY = option(
  '--idempotency-key <key>',
  'repeated with the same key within a day, it is done once',
  taking(fields.text(MAX_IDEMPOTENCY_KEY, 1)),
);
const WAIT = option('--wait [seconds]', 'wait until it is settled, print the result, end as the task did', waiting);
WAIT.flags = '--wait[=seconds]';
const ALIAS = option('--alias <alias>', 'the agent', name).makeOptionMandatory();

const ACCOUNT: readonly CommandRow[] = [
  {
    name: 'login',
    parameters: '[url]',
    about: 'sign in to a hub and remember it',
    options: [
      option('--username <name>', 'instead of asking', name),
      option('--password-stdin', 'read the password from standard input instead of asking'),
      option('--network <name>', 'name or id of the network to work in (default: your first)', name),
    ],
    notes:
      'Stores the address, a token of yours and a fresh network token in ~/.config/agenthub/credentials.json, readable by you alone.\nAGENTHUB_URL and AGENTHUB_TOKEN (or AGENTHUB_TOKEN_FILE) win over that file.',
    examples: [
      'agenthub login',
      'agenthub login https://hub.example.org --username ada --password-stdin < password.txt',
    ],
    load: async () => (await import('./login.ts')).login,
  },
  {
    name: 'logout',
    about: 'revoke the stored tokens and forget them',
    examples: ['agenthub logout'],
    load: async () => (await import('./login.ts')).logout,
  },
  {
    name: 'whoami',
    about: 'show the hub, the user and the network',
    options: [OUTPUT],
    examples: ['agenthub whoami', 'agenthub whoami -o json'],
    load: async () => (await import('./whoami.ts')).whoami,
  },
];

const LOOKING: readonly CommandRow[] = [
  {
    name: 'status',
    parameters: '[alias]',
    takes: { alias: name },
    about: 'list the agents and what they do, or show one in full',
    options: [choice('--status <status>', 'only these', STATUS_FILTERS), OUTPUT],
    examples: ['agenthub status', 'agenthub status --status working', 'agenthub status builder -o json'],
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'tasks',
    about: 'list tasks, newest first',
    options: [
      choice('--status <status>', 'only these', TASK_STATUSES),
      option('--to <alias>', 'only those for this agent', name),
      option('--from <alias>', 'only those from this sender', name),
      choice('--priority <priority>', 'only these', PRIORITIES),
      option('--text <text>', 'only those with this in the content or the result', name),
      option('--limit <count>', 'how many at a time (default: 50)', wholeNumber(1, MAX_REST_LIMIT)),
      option('--cursor <cursor>', 'go on where the page before ended', name),
      OUTPUT,
    ],
    examples: ['agenthub tasks --status failed', 'agenthub tasks --to builder --limit 10 -o json'],
    load: async () => (await import('./tasks.ts')).tasks,
  },
  {
    name: 'task',
    parameters: '<id>',
    takes: { id: name },
    about: 'show a task: how far it has come, its result, its history',
    options: [OUTPUT],
    examples: ['agenthub task task_4Zb…', 'agenthub task task_4Zb… -o json | jq -r .task.result'],
    load: async () => (await import('./task.ts')).task,
  },
  {
    name: 'watch',
    about: 'follow the network live, a line for each thing that happens',
    options: [
      choice('-o, --output <format>', 'lines for people, json for scripts: one event a line', [
        'lines',
        'json',
      ]).default('lines'),
    ],
    notes: 'On a terminal the last line counts agents and tasks. Ctrl-C ends it.',
    examples: ['agenthub watch', 'agenthub watch -o json | jq -c \'select(.type == "task" and .status == "failed")\''],
    load: async () => (await import('./watch.ts')).watch,
  },
];

const STEERING: readonly CommandRow[] = [
  {
    name: 'send',
    parameters: '<alias> <text>',
    takes: { alias: name },
    about: 'give an agent a task',
    options: [
      choice('--priority <priority>', 'how urgent (default: normal)', PRIORITIES),
      option('--context <text>', 'what the agent should know beside the task', taking(fields.text(MAX_TEXT))),
      option('--ttl <seconds>', 'how long it may wait to be started (default: 3600)', wholeNumber(1, MAX_TTL_SECONDS)),
      FROM,
      KEY,
      WAIT,
      OUTPUT,
    ],
    notes:
      'A TEXT of - is read from standard input.\nWith --wait it ends with 0 when the task was replied to, 5 when it failed, was cancelled or expired, 6 when the time was up.',
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
    about: 'show an agent a text that starts no work',
    options: [FROM, KEY, OUTPUT],
    examples: ['agenthub message builder "the staging host is back"'],
    load: async () => (await import('./messages.ts')).message,
  },
  {
    name: 'broadcast',
    parameters: '<text>',
    about: 'send a message to every agent that is online',
    options: [FROM, KEY, OUTPUT],
    examples: ['agenthub broadcast "main is frozen until noon"'],
    load: async () => (await import('./messages.ts')).broadcast,
  },
  {
    name: 'cancel',
    parameters: '<id>',
    takes: { id: name },
    about: 'cancel a task; its agent is told to stop',
    options: [option('--reason <text>', 'why', taking(fields.text(MAX_REASON))), FROM, OUTPUT],
    examples: ['agenthub cancel task_4Zb… --reason "no longer needed"'],
    load: async () => (await import('./task-actions.ts')).cancel,
  },
  {
    name: 'retry',
    parameters: '<id>',
    takes: { id: name },
    about: 'deliver a failed, cancelled or expired task again',
    options: [FROM, OUTPUT],
    examples: [
      'agenthub retry task_4Zb…',
      "agenthub tasks --status failed -o json | jq -r '.tasks[].task_id' | xargs -n1 agenthub retry",
    ],
    load: async () => (await import('./task-actions.ts')).retry,
  },
  {
    name: 'reassign',
    parameters: '<id> <alias>',
    takes: { id: name, alias: name },
    about: 'move a task to another agent',
    options: [FROM, OUTPUT],
    examples: ['agenthub reassign task_4Zb… builder-2'],
    load: async () => (await import('./task-actions.ts')).reassign,
  },
];

const ACTING: readonly CommandRow[] = [
  {
    name: 'inbox',
    about: "show an agent's inbox, as the agent itself",
    options: [
      ALIAS,
      option('--limit <count>', 'how many (default: 10)', wholeNumber(1, MAX_INBOX_LIMIT)),
      option('--ack <id>', 'acknowledge this message instead; that of a task starts the task', name),
      OUTPUT,
    ],
    examples: ['agenthub inbox --alias builder', 'agenthub inbox --alias builder --ack task_4Zb…'],
    load: async () => (await import('./messages.ts')).inbox,
  },
  {
    name: 'reply',
    parameters: '<id> <text>',
    takes: { id: name },
    about: 'answer a task and so settle it',
    options: [
      choice('--status <outcome>', 'how it ended (default: replied)', OUTCOMES),
      FROM,
      option('--to <alias>', 'whom it goes to (default: the sender of the task)', name),
      KEY,
      OUTPUT,
    ],
    notes: 'A TEXT of - is read from standard input.',
    examples: [
      'agenthub reply task_4Zb… "all green" --from builder',
      'agenthub reply task_4Zb… --status failed "no such branch"',
    ],
    load: async () => (await import('./task-actions.ts')).reply,
  },
  {
    name: 'wait',
    about: 'return when mail waits for an agent: 0 and one line about it, or 1 when the time is up',
    options: [ALIAS, option('--timeout <seconds>', 'how long', seconds(0, DAY)).default(300), OUTPUT],
    notes:
      'Made for hooks of agents and for scripts. Mail that waits already counts; it goes on waiting until it is acknowledged.',
    examples: [
      'agenthub wait --alias builder',
      'agenthub wait --alias builder --timeout 30 && agenthub inbox --alias builder',
    ],
    load: async () => (await import('./wait.ts')).wait,
  },
  {
    name: 'work',
    parameters: '<command...>',
    about: 'be an agent: run COMMAND for each task and reply with what it prints',
    options: [
      ALIAS,
      option('--once', 'end after one task: with 0 when it succeeded, 5 when it did not'),
      option('--grace <seconds>', 'between SIGTERM and SIGKILL when a task is taken back', seconds(0, 3_600)).default(
        10,
      ),
      option('--report-every <seconds>', 'how often its output is shown while it runs', seconds(0.1, 60)).default(3),
      option('--take-over', 'take the alias from whoever reports as it now; a worker that has it ends'),
      option('--pass-token', 'leave the token in the environment of COMMAND, which can then act in the network'),
    ],
    notes: [
      'Tasks run one at a time, high priority first. COMMAND finds the task on standard input, and AGENTHUB_TASK_ID, AGENTHUB_TASK_FROM,',
      'AGENTHUB_TASK_PRIORITY, AGENTHUB_TASK_CONTEXT and AGENTHUB_TASK_ATTEMPT in its environment, which has none of the tokens and passwords',
      'of agenthub. Exit code 0 replies with the last 10,000 characters of its standard output; any other fails the task with the code and the',
      'end of standard error. A line "agenthub:progress 40" sets the progress and is not part of the output.',
      'A task that is taken back ends the process group of COMMAND: SIGTERM, after the grace SIGKILL. A hub that restarts is waited for, and',
      'the result is delivered once. A task whose worker was killed is run again by the next one of the same alias.',
      'The first SIGTERM or SIGINT finishes the running task and takes no other; a second one ends COMMAND and gives the task back.',
    ].join('\n'),
    examples: [
      'agenthub work --alias builder -- ./build.sh',
      'agenthub work --alias counter -- wc -w',
      'agenthub work --alias coder -- claude -p',
    ],
    load: async () => (await import('../worker/work.ts')).work,
  },
  {
    name: 'connect',
    parameters: '<client>',
    takes: { client: CLIENT_NAMES },
    about: 'connect claude, codex, gemini, cursor or vscode to this hub, and prove it',
    options: [
      option(
        '--write',
        "write the client's configuration instead of printing it; what stands there stays, and a backup is kept",
      ),
      choice(
        '--scope <scope>',
        'user: for you everywhere, with the token in it; project: for this directory, with a reference to HUB_TOKEN',
        ['user', 'project'],
      ),
      option('--alias <alias>', "the agent's alias (default: the client's name)", name),
      option('--hooks', 'also the hooks that make Claude Code notice its mail'),
    ],
    examples: [
      'agenthub connect claude',
      'agenthub connect claude --write --hooks --alias reviewer',
      'agenthub connect codex --write',
    ],
    load: async () => (await import('../connect/connect.ts')).connect,
  },
];

/** In the order and under the headings of `agenthub --help`. */
export const CLIENT_COMMANDS: Readonly<Record<string, readonly CommandRow[]>> = {
  'Sign in to a hub:': ACCOUNT,
  'Look:': LOOKING,
  'Steer:': STEERING,
  'Act as an agent:': ACTING,
  'The program itself:': OWN_COMMANDS,
};

// A bare --wait is without an end.
function waiting(text: string): number | true {
  return text === '' ? true : wholeNumber(1, DAY)(text);
}
