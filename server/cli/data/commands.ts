// The table of all commands on a data directory. Each acts through the running hub, or directly on the database.
import { type CommandFamily, type CommandRow, OUTPUT, option, YES } from '../command.ts';
import { keyOptions } from '../key-options.ts';
import { file } from '../readers.ts';
import { AGENTS } from './agent-commands.ts';
import { AUDIT, NETWORKS, TOKENS } from './network-commands.ts';
import { USERS } from './user-commands.ts';

const DATA = keyOptions('data');
const DATABASE = keyOptions('data', 'database');

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
  options: [option('--force', 'replace an existing file'), ...DATABASE],
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
    ...DATABASE,
    OUTPUT,
  ],
  notes:
    'FILE may be - for standard input. If a line is damaged, missing or moved, the command reports it and changes nothing.\nA PostgreSQL database must be empty. Tokens and ids stay as they are, from a file to a database and back.',
  examples: [
    'agenthub import hub.jsonl --data /var/lib/agenthub',
    'ssh old-host agenthub export --data /var/lib/agenthub | agenthub import - --data /var/lib/agenthub',
  ],
  load: async () => (await import('./import.ts')).importHub,
};

export const DATA_COMMANDS: readonly (CommandRow | CommandFamily)[] = [
  USERS,
  TOKENS,
  NETWORKS,
  AGENTS,
  AUDIT,
  BACKUP,
  RESTORE,
  EXPORT,
  IMPORT,
  PRUNE,
];
