// The table of all commands on a data directory. Each acts through the running hub, or directly on the database.
import { SYSTEM_ROLES } from '../../domain/accounts/user.ts';
import * as fields from '../../domain/fields.ts';
import {
  MAX_DISPLAY_NAME,
  MAX_EMAIL,
  MAX_NETWORK_NAME,
  MAX_REASON,
  MAX_TOKEN_DAYS,
  MAX_TOKEN_NAME,
} from '../../domain/limits.ts';
import { type CommandFamily, type CommandRow, choice, OUTPUT, option } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { file, name, numberAboveZero, taking } from '../readers.ts';

const DATA = keyOptions('data');
const PASSWORD = option(
  '--password-stdin',
  'read the password from standard input (default: generate one and show it once)',
);

const USERS: CommandFamily = {
  name: 'user',
  about: 'manage accounts',
  commands: [
    {
      name: 'list',
      about: 'list all accounts',
      options: [...DATA, OUTPUT],
      examples: [
        'agenthub user list',
        'agenthub user list -o json | jq -r \'.users[] | select(.role == "admin") | .username\'',
      ],
      load: async () => (await import('./users.ts')).userList,
    },
    {
      name: 'create',
      parameters: '<username>',
      takes: { username: taking(fields.username) },
      about: 'create an account with a personal network and a network token',
      options: [
        choice('--role <role>', 'role in the hub (default: user; admin for the first account)', SYSTEM_ROLES),
        option('--display-name <name>', 'display name (default: the username)', taking(fields.text(MAX_DISPLAY_NAME))),
        option('--email <address>', 'email address, visible to admins', taking(fields.text(MAX_EMAIL))),
        PASSWORD,
        ...DATA,
        OUTPUT,
      ],
      notes: 'Works regardless of the `registration` setting.',
      examples: ['agenthub user create ada --role admin', 'agenthub user create bob --password-stdin < password.txt'],
      load: async () => (await import('./users.ts')).userCreate,
    },
    {
      name: 'reset-password',
      parameters: '<user>',
      takes: { user: name },
      about: 'set a new password and sign the user out; network tokens stay valid',
      options: [PASSWORD, ...DATA, OUTPUT],
      examples: [
        'agenthub user reset-password ada',
        'agenthub user reset-password ada --password-stdin < password.txt',
      ],
      load: async () => (await import('./users.ts')).userResetPassword,
    },
    {
      name: 'set-role',
      parameters: '<user> <role>',
      takes: { user: name, role: SYSTEM_ROLES },
      about: "set a user's role in the hub to admin or user",
      options: [...DATA, OUTPUT],
      examples: ['agenthub user set-role ada admin'],
      load: async () => (await import('./users.ts')).userSetRole,
    },
    {
      name: 'disable',
      parameters: '<user>',
      takes: { user: name },
      about: 'disable a user, suspend their tokens and close their connections',
      options: [...DATA, OUTPUT],
      examples: ['agenthub user disable bob'],
      load: async () => (await import('./users.ts')).userDisable,
    },
    {
      name: 'enable',
      parameters: '<user>',
      takes: { user: name },
      about: 'enable a disabled user and restore their tokens',
      options: [...DATA, OUTPUT],
      examples: ['agenthub user enable bob'],
      load: async () => (await import('./users.ts')).userEnable,
    },
  ],
};

const NETWORK = option('--network <network>', 'show only tokens for this network (id or name)', name);

const TOKENS: CommandFamily = {
  name: 'token',
  about: 'manage tokens',
  commands: [
    {
      name: 'list',
      about: 'list all tokens, without their secrets',
      options: [option('--user <user>', 'show only tokens of this user', name), NETWORK, ...DATA, OUTPUT],
      examples: ['agenthub token list', 'agenthub token list --user ada -o json'],
      load: async () => (await import('./tokens.ts')).tokenList,
    },
    {
      name: 'create',
      parameters: '<name>',
      takes: { name: taking(fields.text(MAX_TOKEN_NAME, 1)) },
      about: 'create a network token for an agent and print it; it is not shown again',
      options: [
        option('--user <user>', 'the member that the token acts for', name).makeOptionMandatory(),
        option('--network <network>', 'id or name of the network (default: the first that the user owns)', name),
        option(
          '--expires-in-days <days>',
          'days until the token expires (default: never)',
          numberAboveZero(MAX_TOKEN_DAYS),
        ),
        ...DATA,
        OUTPUT,
      ],
      examples: [
        'agenthub token create builder --user ada',
        'HUB_TOKEN=$(agenthub token create ci --user ada --network build --expires-in-days 30)',
      ],
      load: async () => (await import('./tokens.ts')).tokenCreate,
    },
    {
      name: 'revoke',
      parameters: '<id>',
      takes: { id: name },
      about: 'revoke a token and close its connections',
      options: [...DATA, OUTPUT],
      examples: ['agenthub token revoke tok_4Zb…'],
      load: async () => (await import('./tokens.ts')).tokenRevoke,
    },
  ],
};

const NETWORKS: CommandFamily = {
  name: 'network',
  about: 'manage networks',
  commands: [
    {
      name: 'list',
      about: 'list all networks with the number of members, agents and tasks in each',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network list', 'agenthub network list -o json'],
      load: async () => (await import('./networks.ts')).networkList,
    },
    {
      name: 'create',
      parameters: '<name>',
      takes: { name: taking(fields.text(MAX_NETWORK_NAME, 1)) },
      about: 'create a network for a user',
      options: [
        option('--owner <user>', 'owner of the network', name).makeOptionMandatory(),
        option('--description <text>', 'purpose of the network', taking(fields.text(MAX_REASON))),
        ...DATA,
        OUTPUT,
      ],
      examples: ['agenthub network create build --owner ada'],
      load: async () => (await import('./networks.ts')).networkCreate,
    },
    {
      name: 'license',
      parameters: '<network>',
      takes: { network: name },
      about: "remove a network's trial, or set when it ends",
      options: [
        option(
          '--until <date>',
          'first day on which the trial has ended, such as 2027-01-31, or "never" to remove the trial',
          taking(fields.dateOrNever),
        ).makeOptionMandatory(),
        ...DATA,
        OUTPUT,
      ],
      examples: [
        'agenthub network license build --until never',
        'agenthub network license net_4Zb… --until 2027-01-31',
      ],
      load: async () => (await import('./networks.ts')).networkLicense,
    },
    {
      name: 'delete',
      parameters: '<network>',
      takes: { network: name },
      about: 'delete a network and everything in it',
      options: [option('--force', 'delete it even if agents are active'), ...DATA, OUTPUT],
      examples: ['agenthub network delete build', 'agenthub network delete net_4Zb… --force'],
      load: async () => (await import('./networks.ts')).networkDelete,
    },
  ],
};

const BACKUP: CommandRow = {
  name: 'backup',
  parameters: '[file]',
  takes: { file },
  about: 'create a complete, verified copy of the database, with the hub running or stopped',
  options: [option('--force', 'replace an existing file'), ...DATA, OUTPUT],
  notes:
    'Without FILE, the backup is written to backups/ in the data directory. It does not include agenthub.json.\nThe hub creates backups automatically if backup_schedule is set.',
  examples: ['agenthub backup', 'agenthub backup /mnt/nas/hub.db --force --data /var/lib/agenthub'],
  load: async () => (await import('./backup.ts')).backup,
};

const RESTORE: CommandRow = {
  name: 'restore',
  parameters: '<file>',
  takes: { file },
  about: 'replace the database of a stopped hub with a backup',
  options: [...DATA, OUTPUT],
  notes:
    'Verifies the backup first and keeps the old database. Tokens in the backup become valid again. Event streams start over.',
  examples: [
    'agenthub restore agenthub-data/backups/agenthub-20260131-030000Z.db',
    'agenthub restore hub.db --data /srv/other-hub',
  ],
  load: async () => (await import('./restore.ts')).restore,
};

const PRUNE: CommandRow = {
  name: 'prune',
  about: 'delete old data: events, acknowledged messages, settled tasks and audit entries',
  options: [
    option('--dry-run', 'count without deleting'),
    ...keyOptions('keep_events_hours', 'keep_messages_days', 'keep_tasks_days', 'keep_audit_days'),
    ...DATA,
    OUTPUT,
  ],
  notes:
    'A running hub prunes automatically every hour. A task is kept until its reply is acknowledged. Without options, the configuration of the hub applies.',
  examples: ['agenthub prune --dry-run', 'agenthub prune --keep-tasks-days 30 --keep-messages-days 7'],
  load: async () => (await import('./prune.ts')).pruneCommand,
};

const EXPORT: CommandRow = {
  name: 'export',
  parameters: '[file]',
  takes: { file },
  about: 'export all data of the hub as JSON lines, to a file or to standard output',
  options: [option('--force', 'replace an existing file'), ...DATA],
  notes:
    'Writes one line per row, {"table": …, "row": {…}, "crc": …}, from a consistent snapshot. Includes everything except notifiers and the stream events kept for replay.\nThe export contains the hashes of passwords and tokens; if it is written to a file, only you can read it.',
  examples: ['agenthub export hub.jsonl', 'agenthub export | jq -c \'select(.table == "tasks") | .row\''],
  load: async () => (await import('./export.ts')).exportHub,
};

const IMPORT: CommandRow = {
  name: 'import',
  parameters: '<file>',
  takes: { file },
  about: 'create a hub from an export',
  options: [
    option('--replace', 'replace the existing hub, which must be stopped; its database is kept'),
    ...DATA,
    OUTPUT,
  ],
  notes:
    'FILE may be - for standard input. If a line is damaged, missing or moved, the command reports it and changes nothing.',
  examples: ['agenthub import hub.jsonl --data /var/lib/agenthub', 'ssh old-host agenthub export | agenthub import -'],
  load: async () => (await import('./import.ts')).importHub,
};

export const DATA_COMMANDS: readonly (CommandRow | CommandFamily)[] = [
  USERS,
  TOKENS,
  NETWORKS,
  BACKUP,
  RESTORE,
  EXPORT,
  IMPORT,
  PRUNE,
];
