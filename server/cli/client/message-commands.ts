// The table of the commands that send messages and show inboxes.
import { MAX_INBOX_LIMIT } from '../../domain/limits.ts';
import { ALIAS, type CommandFamily, FROM, KEY, OUTPUT, option, TEXT_FROM_INPUT } from '../command.ts';
import { name, wholeNumber } from '../readers.ts';

export const MESSAGES: CommandFamily = {
  name: 'message',
  about: 'send messages and show inboxes',
  commands: [
    {
      name: 'send',
      short: 'message',
      parameters: '<alias> <text>',
      takes: { alias: name },
      about: 'send an agent a message that does not start work',
      options: [FROM, KEY, OUTPUT],
      notes: TEXT_FROM_INPUT,
      examples: ['agenthub message send builder "the staging host is back"'],
      load: async () => (await import('./messages.ts')).message,
    },
    {
      name: 'broadcast',
      short: 'broadcast',
      parameters: '<text>',
      about: 'send a message to every online agent',
      options: [FROM, KEY, OUTPUT],
      notes: TEXT_FROM_INPUT,
      examples: ['agenthub message broadcast "main is frozen until noon"'],
      load: async () => (await import('./messages.ts')).broadcast,
    },
    {
      name: 'list',
      short: 'inbox',
      about: "show an agent's inbox, acting as that agent",
      options: [
        ALIAS,
        option('--limit <count>', 'number of messages (default: 10)', wholeNumber(1, MAX_INBOX_LIMIT)),
        option(
          '--ack <id>',
          'acknowledge this message instead of listing the inbox; acknowledging a task starts it',
          name,
        ),
        OUTPUT,
      ],
      examples: ['agenthub message list --alias builder', 'agenthub message list --alias builder --ack task_4Zb…'],
      load: async () => (await import('./messages.ts')).inbox,
    },
  ],
};
