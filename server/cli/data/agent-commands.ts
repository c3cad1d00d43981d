// The commands that list and forget agents.
import { STATUS_FILTERS } from '../../domain/session.ts';
import { type CommandFamily, choice, OUTPUT, option, YES } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { name } from '../readers.ts';

const DATA = keyOptions('data');
const NETWORK = option('--network <network>', 'id or name of the network', name).makeOptionMandatory();

export const AGENTS: CommandFamily = {
  name: 'agent',
  about: 'list and forget agents, and act as one',
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
      notes: 'For users who are signed in, `agenthub agent status` lists the agents of their network.',
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
        "agenthub agent list --network build --status offline -o json | jq -r '.agents[].alias' | xargs -n1 agenthub agent forget --yes --network build",
      ],
      load: async () => (await import('./agents.ts')).agentForget,
    },
  ],
};
