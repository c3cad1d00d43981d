// The table of the commands that sign in to hubs and out of them, and manage the contexts that hold the credentials.
import { type CommandFamily, type CommandRow, OUTPUT, option } from '../../command.ts';
import { contextName, file, hubName, name } from '../../readers.ts';
import { HUB_OPTIONS, RUNNING_ON } from './hub-options.ts';

const CONTEXTS: CommandFamily = {
  name: 'context',
  about: 'manage the hubs that you are signed in to',
  commands: [
    {
      name: 'list',
      about: 'list the contexts; * marks the one in use',
      options: [option('--names', 'print only the names, one per line'), OUTPUT],
      examples: ['agenthub context list', "agenthub context list -o json | jq -r '.contexts[].url'"],
      load: async () => (await import('./context-commands.ts')).contextList,
    },
    {
      name: 'show',
      short: 'whoami',
      about: 'show the hub, user and network in use',
      options: [OUTPUT, ...HUB_OPTIONS],
      examples: ['agenthub context show', 'agenthub context show --hub staging'],
      load: async () => (await import('./context-commands.ts')).contextShow,
    },
    {
      name: 'use',
      parameters: '<context>',
      takes: { context: contextName },
      about: 'make a context the one in use',
      options: [OUTPUT],
      examples: ['agenthub context use staging'],
      load: async () => (await import('./context-commands.ts')).contextUse,
    },
    {
      name: 'remove',
      short: 'logout',
      parameters: '[context]',
      takes: { context: contextName },
      about: 'revoke the tokens of a context (default: the one in use) and delete it',
      options: [OUTPUT],
      notes: 'The tokens are deleted here even if the hub is unreachable. They then stay valid until they expire.',
      examples: ['agenthub context remove', 'agenthub context remove staging'],
      load: async () => (await import('./context-commands.ts')).contextRemove,
    },
  ],
};

export const ACCESS_COMMANDS: readonly (CommandRow | CommandFamily)[] = [
  {
    name: 'login',
    parameters: '[url]',
    about: 'sign in to a hub and store the credentials in a context',
    options: [
      option('--context <context>', 'name of the context (default: the host and port of the hub)', contextName),
      option(
        '--username <name>',
        'username (default: prompt; with --password-stdin, that of the context named by --hub or --context)',
        name,
      ).conflicts(['token', 'tokenFile']),
      option('--password-stdin', 'read the password from standard input instead of prompting').conflicts([
        'token',
        'tokenFile',
      ]),
      option('--network <network>', 'name or id of the network to work in (default: your first)', name),
      option('--hub <hub>', 'address of the hub, instead of URL; or a context, to sign in to it again', hubName),
      RUNNING_ON,
      option('--token-file <file>', 'sign in with the user token (utok_…) in this file instead of a password', file),
      option(
        '--token <token>',
        'sign in with this user token; other users of this machine can see it, so prefer --token-file',
        name,
      ).conflicts('tokenFile'),
    ],
    notes: [
      'A context has the address of a hub, a sign-in token and a network token. Contexts are stored in',
      '~/.config/agenthub/credentials.json, readable only by you. The new context is then in use; --hub, AGENTHUB_URL,',
      'AGENTHUB_CONTEXT and AGENTHUB_TOKEN (or AGENTHUB_TOKEN_FILE) take precedence over it.',
      'Logging out revokes the tokens that login has created, and not one given with --token.',
    ].join('\n'),
    examples: [
      'agenthub login',
      'agenthub login https://hub.example.org --username ada --password-stdin < password.txt',
      'agenthub login --hub local --password-stdin < password.txt',
      'agenthub login https://staging.example.org --context staging',
    ],
    load: async () => (await import('./login.ts')).login,
  },
  CONTEXTS,
];
