// The commands for several hubs on one PostgreSQL database.
import { type CommandFamily, OUTPUT, option } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { name } from '../readers.ts';

const DATABASE = keyOptions('data', 'database');

export const CLUSTER: CommandFamily = {
  name: 'cluster',
  about: 'list and stop the hubs that share a PostgreSQL database',
  commands: [
    {
      name: 'list',
      short: 'cluster',
      about: 'list the hubs that share a PostgreSQL database',
      options: [...DATABASE, OUTPUT],
      notes: [
        'STATE is serving, draining (an operator has asked it to stop), or lost: it has not announced itself for 5 seconds. One hub runs the sweeps and the notifiers. BEHIND is the number of stored events that the hub has not sent to its streams yet; it should be near 0.',
        '',
        'Works where a hub runs, and on every machine that can reach the database if its URL is given.',
      ].join('\n'),
      examples: [
        'agenthub cluster',
        'agenthub cluster --data /var/lib/agenthub',
        "agenthub cluster -o json | jq -r '.hubs[] | select(.runs_sweeps) | .hub_name'",
      ],
      load: async () => (await import('./list.ts')).clusterList,
    },
    {
      name: 'drain',
      parameters: '<hub>',
      takes: { hub: name },
      about: 'stop a hub in order, after its clients have moved to the others',
      options: [option('--force', 'also stop the last hub'), ...DATABASE, OUTPUT],
      notes: [
        'HUB is a name of `agenthub cluster`, with or without the port, or the first characters of an id.',
        '',
        'The hub is not ready from then on (/health/ready returns 503), so that the balancer sends its requests to others. It serves requests for `drain_seconds`, or 10 seconds if that is not set; its event streams end halfway. Then it finishes what it has accepted, and exits with code 0. The command shows the progress until the hub has stopped, also through a restart of the database of up to 30 seconds. Ending the command does not end the drain: a drained hub always stops. To undo it, start the hub again.',
      ].join('\n'),
      examples: ['agenthub cluster drain node-2', 'agenthub cluster drain node-2:4747 --data /var/lib/agenthub'],
      load: async () => (await import('./drain.ts')).clusterDrain,
    },
    {
      name: 'resync',
      about: 'start event streams over after the database was restored with the tools of PostgreSQL',
      options: [...DATABASE, OUTPUT],
      notes:
        'Run it while no hub runs. A program that resumes its event stream could otherwise miss events: those that were stored after the backup are gone, and new ones are numbered like them. Each stream starts with a resync, upon which its reader loads the present state.',
      examples: ['agenthub cluster resync --database postgres://db.example.org/agenthub'],
      load: async () => (await import('./resync.ts')).clusterResync,
    },
  ],
};
