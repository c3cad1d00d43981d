// The table of all operator commands: name, parameters, options, examples and implementation. Commands of a family have
// two words, such as `config check`.
import { CLUSTER } from './cluster/commands.ts';
import { type CommandFamily, type CommandRow, choice, OUTPUT, option } from './command.ts';
import { DATA_COMMANDS } from './data/commands.ts';
import { effectiveConfig, type GivenOptions, keyOptions } from './key-options.ts';
import { accountName, address, file as fileName, scrapeJob, seconds } from './readers.ts';

const SERVE: CommandRow = {
  name: 'serve',
  about: 'run the hub (the default command)',
  options: [
    option('--ephemeral', 'keep nothing: use a temporary data directory, deleted when the hub stops').conflicts([
      'data',
      'database',
    ]),
    ...keyOptions(),
  ],
  notes:
    'SIGTERM and SIGINT shut the hub down gracefully; a second one stops it at once, with exit code 2. SIGHUP reloads the TLS certificate and the log level; on a terminal, it stops the hub.',
  examples: [
    'agenthub                        listen on 127.0.0.1:4747 with ./agenthub-data',
    'agenthub --port 8080 --data /var/lib/agenthub',
    'agenthub serve --host 0.0.0.0   for a team; prints the setup link',
    'agenthub serve --ephemeral      to try it out, or for a test',
  ],
  load: async () => {
    const { start } = await import('../serve/start.ts');
    return async ({ ephemeral, ...options }: GivenOptions) => {
      if (ephemeral === undefined) return start(() => effectiveConfig(options));
      const { temporaryDataDirectory } = await import('../serve/private-directory.ts');
      const data = temporaryDataDirectory();
      return start(() => effectiveConfig({ ...options, data, database: '' }), { isEphemeral: true });
    };
  },
};

const CONFIG: CommandFamily = {
  name: 'config',
  about: 'check or show the configuration',
  commands: [
    {
      name: 'check',
      about: 'report all problems in the configuration; exit code 0 if it is valid',
      options: [...keyOptions(), OUTPUT],
      notes: 'Reads flags, environment, agenthub.json and the TLS files as `serve` does. Changes nothing.',
      examples: ['agenthub config check --data /var/lib/agenthub', 'agenthub config check -o json | jq -r .problems[]'],
      load: async () => (await import('./config-check.ts')).configCheck,
    },
    {
      name: 'print',
      about: 'show each key with its value and the source of the value; secrets are hidden',
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
  about: 'show the locations of data, configuration and credentials',
  options: [...keyOptions('data'), OUTPUT],
  examples: ['agenthub paths', 'agenthub paths --data /var/lib/agenthub -o json | jq -r .database.path'],
  load: async () => (await import('./paths.ts')).paths,
};

const HEALTHCHECK: CommandRow = {
  name: 'healthcheck',
  about: 'check that the hub is healthy: exit code 0 if it is, 1 if not',
  options: [
    option('--url <url>', 'check this address instead of the configured one', address),
    option('--timeout <seconds>', 'timeout of the check', seconds(0.1, 300)).default(5),
    ...keyOptions('host', 'port', 'data', 'tls_cert', 'tls_key'),
    OUTPUT,
  ],
  notes: 'Designed for container health checks. Reads the configuration as `serve` does.',
  examples: ['agenthub healthcheck', 'agenthub healthcheck --url http://127.0.0.1:8080 --timeout 2'],
  load: async () => (await import('./doctor/healthcheck.ts')).healthcheck,
};

const DOCTOR: CommandRow = {
  name: 'doctor',
  about: 'diagnose everything a hub depends on, and suggest a fix for each problem',
  options: [
    option('--repair', 'recount the stored counters of a stopped hub instead of running the checks'),
    option(
      '--bundle <file>',
      'also write a support bundle to this file (JSON, without secrets and contents)',
      fileName,
    ),
    ...keyOptions(),
    OUTPUT,
  ],
  notes: [
    'Each line is ok, warn or fail; a warning or failure comes with a remedy. The exit code is 1 if a check fails.',
    '',
    'Checks permissions, the lock, the schema, integrity and counters of the database, disk, clock, port and certificate. On PostgreSQL, checks',
    'the server, the privileges of the user, the replication and the hubs instead of a database file. For a running hub, also',
    'checks its event stream, locally and through public_url: whether events arrive without delay, and which client address the reverse',
    'proxies forward. Reads the whole database and changes nothing; prints each result as soon as it is known.',
    '',
    'With --repair on a stopped hub, corrects the counters that do not match their rows, and lists each one. With --bundle, writes versions, the',
    'configuration without secrets, the findings, and the diagnostics, counters and last log lines of a running hub to a file.',
  ].join('\n'),
  examples: [
    'agenthub doctor',
    'agenthub doctor --bundle support.json --data /var/lib/agenthub',
    'agenthub doctor --repair --data /var/lib/agenthub',
    'agenthub doctor -o json | jq \'.checks[] | select(.level != "ok")\'',
  ],
  load: async () => (await import('./doctor/doctor.ts')).doctor,
};

const SYSTEMD: CommandFamily = {
  name: 'systemd',
  about: 'print a systemd unit to run the hub as a service',
  commands: [
    {
      name: 'print',
      about: 'print a hardened systemd unit for this executable',
      options: [
        option('--user <name>', 'user and group that the hub runs as (default: agenthub)', accountName),
        choice('--type <type>', 'service type (default: notify if systemd-notify is installed)', ['notify', 'exec']),
        ...keyOptions(),
      ],
      notes:
        'The flags given here become the flags of the service. The data directory is /var/lib/agenthub unless --data is given.\nThe service reads its environment from /etc/agenthub/agenthub.env; put secrets there. `systemctl reload agenthub` reloads the TLS certificate and the log level.',
      examples: [
        'agenthub systemd print > /etc/systemd/system/agenthub.service',
        'agenthub systemd print --port 443 --tls-cert /etc/agenthub/cert.pem --tls-key /etc/agenthub/key.pem',
      ],
      load: async () => (await import('./systemd-unit.ts')).systemdPrint,
    },
  ],
};

const ALERTS: CommandFamily = {
  name: 'alerts',
  about: 'print alerting rules for Prometheus',
  commands: [
    {
      name: 'print',
      about: 'print alerting rules for the metrics of a hub, as a rule file of Prometheus',
      options: [option('--job <name>', 'name of the scrape job of the hub (default: agenthub)', scrapeJob)],
      examples: [
        'agenthub alerts print > /etc/prometheus/rules/agenthub.yml',
        'agenthub alerts print --job agents-hub',
      ],
      load: async () => (await import('./alert-rules.ts')).alertsPrint,
    },
  ],
};

/** The headings of `agenthub --help` and the commands under each, in order. */
export const OPERATOR_COMMANDS: Readonly<Record<string, readonly (CommandRow | CommandFamily)[]>> = {
  'Run a hub:': [SERVE, CONFIG, PATHS, HEALTHCHECK, DOCTOR, CLUSTER, SYSTEMD, ALERTS],
  'Manage hub data:': DATA_COMMANDS,
};
