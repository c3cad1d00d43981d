// Every command on a data directory, on one page. Each acts through the hub that runs there, or on the database itself.
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
  'read the password from standard input (default: one is made, and shown once)',
);

const USERS: CommandFamily = {
  name: 'user',
  about: 'look after accounts',
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
      about: 'make an account with a network of its own and a token for it',
      options: [
        choice('--role <role>', 'role in the hub (default: user; admin for the first account)', SYSTEM_ROLES),
        option('--display-name <name>', 'name to show (default: the username)', taking(fields.text(MAX_DISPLAY_NAME))),
        option('--email <address>', 'kept for the admins', taking(fields.text(MAX_EMAIL))),
        PASSWORD,
        ...DATA,
        OUTPUT,
      ],
      notes: 'Works whatever `registration` says.',
      examples: ['agenthub user create ada --role admin', 'agenthub user create bob --password-stdin < password.txt'],
      load: async () => (await import('./users.ts')).userCreate,
    },
    {
      name: 'reset-password',
      parameters: '<user>',
      takes: { user: name },
      about: 'give somebody a new password; his sign-ins end, tokens of agents stay',
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
      about: 'make somebody admin of the hub, or user again',
      options: [...DATA, OUTPUT],
      examples: ['agenthub user set-role ada admin'],
      load: async () => (await import('./users.ts')).userSetRole,
    },
    {
      name: 'disable',
      parameters: '<user>',
      takes: { user: name },
      about: 'shut somebody out: no token of his counts any more, and what they opened ends',
      options: [...DATA, OUTPUT],
      examples: ['agenthub user disable bob'],
      load: async () => (await import('./users.ts')).userDisable,
    },
    {
      name: 'enable',
      parameters: '<user>',
      takes: { user: name },
      about: 'let somebody in again who was disabled, with the tokens he had',
      options: [...DATA, OUTPUT],
      examples: ['agenthub user enable bob'],
      load: async () => (await import('./users.ts')).userEnable,
    },
  ],
};

const NETWORK = option('--network <network>', 'id or name of the network', name);

const TOKENS: CommandFamily = {
  name: 'token',
  about: 'look after tokens',
  commands: [
    {
      name: 'list',
      about: 'list all tokens, without their secrets',
      options: [option('--user <user>', 'only those of this user', name), NETWORK, ...DATA, OUTPUT],
      examples: ['agenthub token list', 'agenthub token list --user ada -o json'],
      load: async () => (await import('./tokens.ts')).tokenList,
    },
    {
      name: 'create',
      parameters: '<name>',
      takes: { name: taking(fields.text(MAX_TOKEN_NAME, 1)) },
      about: 'make a network token for an agent and print it, once',
      options: [
        option('--user <user>', 'the member in whose name it acts', name).makeOptionMandatory(),
        option('--network <network>', 'id or name of the network (default: the first that the user owns)', name),
        option(
          '--expires-in-days <days>',
          'when it ends (default: when it is revoked)',
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
      about: 'revoke a token; what it has open ends',
      options: [...DATA, OUTPUT],
      examples: ['agenthub token revoke tok_4Zb…'],
      load: async () => (await import('./tokens.ts')).tokenRevoke,
    },
  ],
};

const NETWORKS: CommandFamily = {
  name: 'network',
  about: 'look after networks',
  commands: [
    {
      name: 'list',
      about: 'list all networks and what is in them',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network list', 'agenthub network list -o json'],
      load: async () => (await import('./networks.ts')).networkList,
    },
    {
      name: 'create',
      parameters: '<name>',
      takes: { name: taking(fields.text(MAX_NETWORK_NAME, 1)) },
      about: 'make a network for somebody',
      options: [
        option('--owner <user>', 'who owns it', name).makeOptionMandatory(),
        option('--description <text>', 'what it is for', taking(fields.text(MAX_REASON))),
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
      about: "lift a network's trial, or set its end",
      options: [
        option(
          '--until <date>',
          'a date such as 2027-01-31, which is the first day without, or never',
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
      about: 'remove a network with everything in it',
      options: [option('--force', 'also while agents are at work in it'), ...DATA, OUTPUT],
      examples: ['agenthub network delete build', 'agenthub network delete net_4Zb… --force'],
      load: async () => (await import('./networks.ts')).networkDelete,
    },
  ],
};

const BACKUP: CommandRow = {
  name: 'backup',
  parameters: '[file]',
  takes: { file },
  about: 'copy the database to a file, whole and checked, while the hub serves or not',
  options: [option('--force', 'replace a file that is there'), ...DATA, OUTPUT],
  notes:
    'Without FILE it goes into backups/ of the data directory. agenthub.json is not part of it.\nThe hub does it by itself when backup_schedule says so.',
  examples: ['agenthub backup', 'agenthub backup /mnt/nas/hub.db --force --data /var/lib/agenthub'],
  load: async () => (await import('./backup.ts')).backup,
};

const RESTORE: CommandRow = {
  name: 'restore',
  parameters: '<file>',
  takes: { file },
  about: 'put a backup in the place of the database of a stopped hub',
  options: [...DATA, OUTPUT],
  notes:
    'The backup is checked first; the old database stays beside the new one. Tokens of the backup are good again; event streams start over.',
  examples: [
    'agenthub restore agenthub-data/backups/agenthub-20260131-030000Z.db',
    'agenthub restore hub.db --data /srv/other-hub',
  ],
  load: async () => (await import('./restore.ts')).restore,
};

const PRUNE: CommandRow = {
  name: 'prune',
  about: 'remove what is kept no longer: events, acknowledged messages, settled tasks, audit entries',
  options: [
    option('--dry-run', 'only count it'),
    ...keyOptions('keep_events_hours', 'keep_messages_days', 'keep_tasks_days', 'keep_audit_days'),
    ...DATA,
    OUTPUT,
  ],
  notes:
    'A running hub does it by itself every hour; a task stays as long as somebody has not read its reply. Without options it is as the hub is configured.',
  examples: ['agenthub prune --dry-run', 'agenthub prune --keep-tasks-days 30 --keep-messages-days 7'],
  load: async () => (await import('./prune.ts')).pruneCommand,
};

const EXPORT: CommandRow = {
  name: 'export',
  parameters: '[file]',
  takes: { file },
  about: 'write everything of the hub as JSON lines, to a file or to standard output',
  options: [option('--force', 'replace a file that is there'), ...DATA],
  notes:
    'A line for each row, {"table": …, "row": {…}, "crc": …}, all of one moment. Only the events of the last hours are left out.\nIt holds the hashes of passwords and tokens: a file is made readable for you alone.',
  examples: ['agenthub export hub.jsonl', 'agenthub export | jq -c \'select(.table == "tasks") | .row\''],
  load: async () => (await import('./export.ts')).exportHub,
};

const IMPORT: CommandRow = {
  name: 'import',
  parameters: '<file>',
  takes: { file },
  about: 'make a hub of the lines that export wrote',
  options: [
    option('--replace', 'in the place of the hub that is there, which must not run; its database stays beside'),
    ...DATA,
    OUTPUT,
  ],
  notes: 'FILE may be - for standard input. A line that is damaged, missing or moved is named, and nothing is changed.',
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
