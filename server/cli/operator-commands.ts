// Every command for who runs a hub, on one page: name, parameters, options, examples, and what runs. Those of a family
// are called by two words, such as `config check`.
import { type CommandFamily, type CommandRow, OUTPUT, option } from './command.ts';
import { DATA_COMMANDS } from './data/commands.ts';
import { keyOptions } from './key-options.ts';
import { accountName, address, seconds } from './readers.ts';

const SERVE: CommandRow = {
  name: 'serve',
  about: 'run the hub (the default command)',
  options: keyOptions(),
  notes: 'SIGTERM and SIGINT end it in order; SIGHUP reads the TLS certificate again.',
  examples: [
    'agenthub                          listen on 127.0.0.1:4747, data in ./agenthub-data',
    'agenthub --port 8080 --data /var/lib/agenthub',
    'agenthub serve --host 0.0.0.0     for a team; prints the setup link for the first registration',
  ],
  load: async () => (await import('./serve.ts')).serve,
};

const CONFIG: CommandFamily = {
  name: 'config',
  about: 'check the configuration, or show it',
  commands: [
    {
      name: 'check',
      about: 'say what is wrong with the configuration; code 0 when nothing is',
      options: [...keyOptions(), OUTPUT],
      notes: 'Reads flags, environment and agenthub.json as `serve` would, the TLS files too, and changes nothing.',
      examples: ['agenthub config check --data /var/lib/agenthub', 'agenthub config check -o json | jq -r .problems[]'],
      load: async () => (await import('./config-check.ts')).configCheck,
    },
    {
      name: 'print',
      about: 'show each key with its value and where that came from; secrets stay hidden',
      options: [...keyOptions(), OUTPUT],
      examples: [
        'agenthub config print --data /var/lib/agenthub',
        'agenthub config print -o json | jq .settings.port.value',
      ],
      load: async () => (await import('./config-print.ts')).configPrint,
    },
  ],
};

const PATHS: CommandRow = {
  name: 'paths',
  about: 'show where data, configuration and credentials lie',
  options: [...keyOptions('data'), OUTPUT],
  examples: ['agenthub paths', 'agenthub paths --data /var/lib/agenthub -o json | jq -r .database.path'],
  load: async () => (await import('./paths.ts')).paths,
};

const HEALTHCHECK: CommandRow = {
  name: 'healthcheck',
  about: 'ask the hub whether it is well: code 0 when it is, 1 when not',
  options: [
    option('--url <url>', 'ask this address instead of the one that is configured', address),
    option('--timeout <seconds>', 'how long it may take', seconds(0.1, 300)).default(5),
    ...keyOptions('host', 'port', 'data', 'tls_cert', 'tls_key'),
    OUTPUT,
  ],
  notes: 'Made for the health check of a container. It reads the configuration as `serve` does.',
  examples: ['agenthub healthcheck', 'agenthub healthcheck --url http://127.0.0.1:8080 --timeout 2'],
  load: async () => (await import('./doctor/healthcheck.ts')).healthcheck,
};

const DOCTOR: CommandRow = {
  name: 'doctor',
  about: 'look at everything a hub stands on, and say what to do where something is wrong',
  options: [
    option('--repair', 'recount the stored counters of a stopped hub; checks nothing else'),
    ...keyOptions(),
    OUTPUT,
  ],
  notes: [
    'Each line is ok, warn or fail with the remedy; code 1 when one fails. It looks at permissions, the lock, schema, soundness and counters',
    'of the database, disk, clock, port and certificate, and beside a running hub at its event stream, here and through public_url: whether',
    'events come as they happen, and what the reverse proxies tell of clients. All of the database is read, and nothing is changed.',
    'With --repair and the hub stopped, it corrects the counters that do not equal their rows, and names each one.',
  ].join('\n'),
  examples: [
    'agenthub doctor',
    'agenthub doctor --repair --data /var/lib/agenthub',
    'agenthub doctor -o json | jq \'.checks[] | select(.level != "ok")\'',
  ],
  load: async () => (await import('./doctor/doctor.ts')).doctor,
};

const SYSTEMD: CommandFamily = {
  name: 'systemd',
  about: 'run the hub as a service',
  commands: [
    {
      name: 'print',
      about: 'print a hardened unit for this executable',
      options: [option('--user <name>', 'user and group it runs as (default: agenthub)', accountName), ...keyOptions()],
      notes:
        'The flags given here become those of the service; its data directory is /var/lib/agenthub unless --data names another.\nIts environment is /etc/agenthub/agenthub.env, where secrets belong. `systemctl reload agenthub` reads the TLS certificate again.',
      examples: [
        'agenthub systemd print > /etc/systemd/system/agenthub.service',
        'agenthub systemd print --port 443 --tls-cert /etc/agenthub/cert.pem --tls-key /etc/agenthub/key.pem',
      ],
      load: async () => (await import('./systemd-unit.ts')).systemdPrint,
    },
  ],
};

/** In the order and under the headings of `agenthub --help`. */
export const OPERATOR_COMMANDS: Readonly<Record<string, readonly (CommandRow | CommandFamily)[]>> = {
  'Run a hub:': [SERVE, CONFIG, PATHS, HEALTHCHECK, DOCTOR, SYSTEMD],
  'Look after a hub, running or not:': DATA_COMMANDS,
};
