// The commands that manage tokens and networks, and show the audit log.
import * as fields from '../../domain/fields.ts';
import {
  DEFAULT_INVITE_DAYS,
  DEFAULT_REST_LIMIT,
  MAX_INVITE_DAYS,
  MAX_INVITE_USES,
  MAX_NETWORK_NAME,
  MAX_REASON,
  MAX_REST_LIMIT,
  MAX_TOKEN_DAYS,
  MAX_TOKEN_NAME,
} from '../../domain/limits.ts';
import { INVITE_ROLES } from '../../domain/network.ts';
import { type CommandFamily, choice, OUTPUT, option, YES } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { name, numberAboveZero, taking, wholeNumber } from '../readers.ts';

const DATA = keyOptions('data');

const EXPIRY = option(
  '--expires-in-days <days>',
  'days until the token expires (default: never, or as before)',
  numberAboveZero(MAX_TOKEN_DAYS),
);
const NETWORK = option('--network <network>', 'show only tokens for this network (id or name)', name);

export const TOKENS: CommandFamily = {
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

export const NETWORKS: CommandFamily = {
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
      load: async () => (await import('./network-access.ts')).networkMembers,
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
      load: async () => (await import('./network-access.ts')).networkInvite,
    },
    {
      name: 'invites',
      parameters: '<network>',
      takes: { network: name },
      about: 'list the invites of a network, without their codes',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network invites build'],
      load: async () => (await import('./network-access.ts')).networkInvites,
    },
    {
      name: 'withdraw-invite',
      parameters: '<network> <id>',
      takes: { network: name, id: name },
      about: 'withdraw an invite; members who joined with it stay',
      options: [YES, ...DATA, OUTPUT],
      examples: ['agenthub network withdraw-invite build ivt_4Zb…'],
      load: async () => (await import('./network-access.ts')).networkWithdrawInvite,
    },
    {
      name: 'set-role',
      parameters: '<network> <user> <role>',
      takes: { network: name, user: name, role: INVITE_ROLES },
      about: 'change the role of a member; transfer makes a member the owner',
      options: [...DATA, OUTPUT],
      examples: ['agenthub network set-role build bob viewer'],
      load: async () => (await import('./network-access.ts')).networkSetRole,
    },
    {
      name: 'remove-member',
      parameters: '<network> <user>',
      takes: { network: name, user: name },
      about: 'remove a member with their tokens for the network, and close their connections',
      options: [YES, ...DATA, OUTPUT],
      examples: ['agenthub network remove-member build bob'],
      load: async () => (await import('./network-access.ts')).networkRemoveMember,
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

export const AUDIT: CommandFamily = {
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
