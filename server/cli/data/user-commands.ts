// The commands that manage accounts.
import { SYSTEM_ROLES } from '../../domain/accounts/user.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_DISPLAY_NAME, MAX_EMAIL } from '../../domain/limits.ts';
import { type CommandFamily, choice, OUTPUT, option, YES } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { name, taking } from '../readers.ts';

const DATA = keyOptions('data');
const PASSWORD = option(
  '--password-stdin',
  'read the password from standard input (default: generate one and show it once)',
);

export const USERS: CommandFamily = {
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
