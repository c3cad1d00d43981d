// The table of all commands on a data directory. Each acts through the running hub, or directly on the database.
import { SYSTEM_ROLES } from '../../domain/accounts/user.ts';
import * as fields from '../../domain/fields.ts';
import {
  DEFAULT_INVITE_DAYS,
  DEFAULT_REST_LIMIT,
  MAX_DISPLAY_NAME,
  MAX_EMAIL,
  MAX_INVITE_DAYS,
  MAX_INVITE_USES,
  MAX_NETWORK_NAME,
  MAX_REASON,
  MAX_REST_LIMIT,
  MAX_TOKEN_DAYS,
  MAX_TOKEN_NAME,
} from '../../domain/limits.ts';
import { INVITE_ROLES } from '../../domain/network.ts';
import { type CommandFamily, type CommandRow, choice, OUTPUT, option, YES } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { file, name, numberAboveZero, taking, wholeNumber } from '../readers.ts';

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
      name: 'show',
      parameters: '<user>',
      takes: { user: name },
      about: 'show an account with its networks and tokens',
      options: [...DATA, OUTPUT],
      examples: ['agenthub user show ada'],
      load: async () => (await import('./users.ts')).userShow,
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
    {
      name: 'delete',
      parameters: '<user>',
      takes: { user: name },
      about: 'delete an account with its tokens, and close its connections',
      options: [
        option('--transfer-to <user>', 'make this user the owner of the networks that the account owns', name),
        option('--delete-networks', 'delete the networks that the account owns, with everything in them').conflicts(
          'transferTo',
        ),
        option('--force', 'with --delete-networks, delete them even if agents are active'),
        YES,
        ...DATA,
        OUTPUT,
      ],
      notes:
        'If the account owns networks, one of --transfer-to and --delete-networks is required. Its memberships, sign-ins and notifiers are deleted too. Tasks and messages belong to networks and stay.',
      examples: ['agenthub user delete bob --transfer-to ada', 'agenthub user delete bob --delete-networks --yes'],
      load: async () => (await import('./users.ts')).userDelete,
    },
  ],
};

const EXPIRY = option(
  '--expires-in-days <days>',
  'days until the token expires (default: never, or as before)',
  numberAboveZero(MAX_TOKEN_DAYS),
);
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
        EXPIRY,
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
      name: 'show',
      parameters: '<id>',
      takes: { id: name },
      about: 'show a token, without its secret',
      options: [...DATA, OUTPUT],
      examples: ['agenthub token show tok_4Zb…'],
      load: async () => (await import('./tokens.ts')).tokenShow,
    },
    {
      name: 'rotate',
      parameters: '<id>',
      takes: { id: name },
      about: 'replace the secret of a network token and print the new one',
      options: [EXPIRY, YES, ...DATA, OUTPUT],
      notes:
        'The old secret stops working at once, and connections opened with it are closed. The id, the name, the network and, without --expires-in-days, the expiry stay.',
      examples: [
        'agenthub token rotate tok_4Zb…',
        'HUB_TOKEN=$(agenthub token rotate tok_4Zb… --yes --expires-in-days 30)',
      ],
      load: async () => (await import('./tokens.ts')).tokenRotate,
    },
    {
      name: 'revoke',
      parameters: '<id>',
      takes: { id: name },
      about: 'revoke a token and close its connections',
      options: [YES, ...DATA, OUTPUT],
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
      name: 'show',
      parameters: '<network>',
      takes: { network: name },
      about: 'show a network with its counts and limits',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network show build'],
      load: async () => (await import('./networks.ts')).networkShow,
    },
    {
      name: 'members',
      parameters: '<network>',
      takes: { network: name },
      about: 'list the members of a network with their roles',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network members build'],
      load: async () => (await import('./networks.ts')).networkMembers,
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
      name: 'invite',
      parameters: '<network>',
      takes: { network: name },
      about: 'create an invite to a network and print its code; it is not shown again',
      options: [
        choice('--role <role>', 'role of the new members (default: member)', INVITE_ROLES),
        option('--uses <count>', 'how many users may use it (default: 1)', wholeNumber(1, MAX_INVITE_USES)),
        option(
          '--expires-in-days <days>',
          `days until the invite expires (default: ${DEFAULT_INVITE_DAYS})`,
          numberAboveZero(MAX_INVITE_DAYS),
        ),
        ...DATA,
        OUTPUT,
      ],
      examples: [
        'agenthub network invite build',
        'agenthub network invite build --role viewer --uses 10 -o json | jq -r .invite_code',
      ],
      load: async () => (await import('./networks.ts')).networkInvite,
    },
    {
      name: 'rename',
      parameters: '<network> <name>',
      takes: { network: name, name: taking(fields.text(MAX_NETWORK_NAME, 1)) },
      about: 'change the name of a network; tokens and links keep working',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network rename build ci'],
      load: async () => (await import('./networks.ts')).networkRename,
    },
    {
      name: 'transfer',
      parameters: '<network> <user>',
      takes: { network: name, user: name },
      about: 'make another user the owner of a network; the previous owner stays as a member',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network transfer build ada'],
      load: async () => (await import('./networks.ts')).networkTransfer,
    },
    {
      name: 'license',
      parameters: '<network>',
      takes: { network: name },
      about: "remove a network's trial, or set when it ends",
      options: [
        option(
          '--until <date>',
          'first day on which the trial has ended, today at the earliest, such as 2027-01-31; "never" removes the trial',
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
      options: [option('--force', 'delete it even if agents are active'), YES, ...DATA, OUTPUT],
      examples: ['agenthub network delete build', 'agenthub network delete net_4Zb… --force'],
      load: async () => (await import('./networks.ts')).networkDelete,
    },
  ],
};

const AUDIT: CommandFamily = {
  name: 'audit',
  about: 'show the audit log',
  commands: [
    {
      name: 'log',
      about: 'list changes to accounts, tokens, members and networks, newest first',
      options: [
        option('--action <action>', 'show only this action, such as user.create', name),
        option('--actor <name>', 'show only actions of this user, or "command line"', name),
        option('--network <network>', 'show only actions in this network (id or name)', name),
        option('--limit <count>', `entries per page (default: ${DEFAULT_REST_LIMIT})`, wholeNumber(1, MAX_REST_LIMIT)),
        option('--cursor <cursor>', 'continue after the previous page', name),
        ...DATA,
        OUTPUT,
      ],
      examples: ['agenthub audit log', "agenthub audit log --actor 'command line' -o json | jq -c .entries[]"],
      load: async () => (await import('./audit.ts')).auditLog,
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
    YES,
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
  AUDIT,
  BACKUP,
  RESTORE,
  EXPORT,
  IMPORT,
  PRUNE,
];
