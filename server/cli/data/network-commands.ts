// The tables of the commands on networks, their agents, and the audit log.
import * as fields from '../../domain/fields.ts';
import {
  DEFAULT_INVITE_DAYS,
  DEFAULT_REST_LIMIT,
  MAX_INVITE_DAYS,
  MAX_INVITE_USES,
  MAX_NETWORK_NAME,
  MAX_REASON,
  MAX_REST_LIMIT,
} from '../../domain/limits.ts';
import { INVITE_ROLES } from '../../domain/network.ts';
import { STATUS_FILTERS } from '../../domain/session.ts';
import { type CommandFamily, choice, OUTPUT, option, YES } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { name, numberAboveZero, taking, wholeNumber } from '../readers.ts';

const DATA = keyOptions('data');

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

const NETWORK = option('--network <network>', 'id or name of the network', name).makeOptionMandatory();

export const AGENTS: CommandFamily = {
  name: 'agent',
  about: 'list and forget agents',
  commands: [
    {
      name: 'list',
      about: 'list the agents of a network',
      options: [
        NETWORK,
        choice('--status <status>', 'show only agents with this status', STATUS_FILTERS),
        ...DATA,
        OUTPUT,
      ],
      notes: 'For users who are signed in, `agenthub status` lists the agents of their network.',
      examples: ['agenthub agent list --network build', 'agenthub agent list --network build --status offline -o json'],
      load: async () => (await import('./agents.ts')).agentList,
    },
    {
      name: 'forget',
      parameters: '<alias>',
      takes: { alias: name },
      about: 'delete the record of an agent; its mail and tasks stay',
      options: [NETWORK, YES, ...DATA, OUTPUT],
      notes: 'An agent that runs is listed again after its next report.',
      examples: [
        'agenthub agent forget old-builder --network build',
        "agenthub agent list --network build --status offline -o json | jq -r '.agents[].alias' | xargs -n1 agenthub agent forget --network build",
      ],
      load: async () => (await import('./agents.ts')).agentForget,
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
