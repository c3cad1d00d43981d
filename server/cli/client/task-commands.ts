// The table of the commands that send, inspect and settle tasks.
import * as fields from '../../domain/fields.ts';
import { MAX_REASON, MAX_REST_LIMIT, MAX_TEXT, MAX_TTL_SECONDS } from '../../domain/limits.ts';
import { OUTCOMES, TASK_STATUSES } from '../../domain/task-status.ts';
import { type CommandFamily, choice, FROM, KEY, OUTPUT, option, TEXT_FROM_INPUT } from '../command.ts';
import { name, orTrue, taking, wholeNumber } from '../readers.ts';

const DAY = 86_400;
const PRIORITIES = ['high', 'normal', 'low'];

const ACTOR = option('--from <alias>', 'alias recorded as the actor (default: hub)', name);
const WAIT = option(
  '--wait [seconds]',
  'wait until the task is settled, print its result, and exit with its outcome',
  orTrue(wholeNumber(1, DAY)), // a bare --wait has no timeout
);
WAIT.flags = '--wait[=seconds]';

export const TASKS: CommandFamily = {
  name: 'task',
  about: 'send, inspect and settle tasks',
  commands: [
    {
      name: 'list',
      short: 'tasks',
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
      examples: ['agenthub task list --status failed', 'agenthub task list --to builder --limit 10 -o json'],
      load: async () => (await import('./tasks.ts')).tasks,
    },
    {
      name: 'show',
      short: 'task',
      parameters: '<id>',
      takes: { id: name },
      about: 'show a task: its progress, result and history',
      options: [OUTPUT],
      examples: ['agenthub task show task_4Zb…', 'agenthub task show task_4Zb… -o json | jq -r .task.result'],
      load: async () => (await import('./task.ts')).task,
    },
    {
      name: 'send',
      short: 'send',
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
        'agenthub task send builder "run the test suite"',
        'agenthub task send --wait=600 --priority high builder "run the test suite" && echo green',
        'git diff | agenthub task send --wait reviewer -',
      ],
      load: async () => (await import('./send.ts')).send,
    },
    {
      name: 'reply',
      short: 'reply',
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
        'agenthub task reply task_4Zb… "all green" --from builder',
        'agenthub task reply task_4Zb… --status failed "no such branch"',
      ],
      load: async () => (await import('./task-actions.ts')).reply,
    },
    {
      name: 'cancel',
      short: 'cancel',
      parameters: '<id>',
      takes: { id: name },
      about: 'cancel a task and notify its agent',
      options: [
        option('--reason <text>', 'reason for the cancellation', taking(fields.text(MAX_REASON))),
        ACTOR,
        OUTPUT,
      ],
      examples: ['agenthub task cancel task_4Zb… --reason "no longer needed"'],
      load: async () => (await import('./task-actions.ts')).cancel,
    },
    {
      name: 'retry',
      short: 'retry',
      parameters: '<id>',
      takes: { id: name },
      about: 'deliver a failed, cancelled or expired task again',
      options: [option('--to <alias>', 'deliver it to another agent', name), ACTOR, OUTPUT],
      examples: [
        'agenthub task retry task_4Zb…',
        'agenthub task retry task_4Zb… --to builder-2',
        "agenthub task list --status failed -o json | jq -r '.tasks[].task_id' | xargs -n1 agenthub task retry",
      ],
      load: async () => (await import('./task-actions.ts')).retry,
    },
    {
      name: 'reassign',
      short: 'reassign',
      parameters: '<id> <alias>',
      takes: { id: name, alias: name },
      about: 'deliver a task to another agent, as the next attempt',
      options: [ACTOR, OUTPUT],
      examples: ['agenthub task reassign task_4Zb… builder-2'],
      load: async () => (await import('./task-actions.ts')).reassign,
    },
  ],
};
