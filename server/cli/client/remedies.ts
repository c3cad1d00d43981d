// Hub messages name MCP tools. On the command line, this replaces each tool name with the equivalent command.

const COMMANDS: Readonly<Record<string, string>> = {
  get_all_status: '`agenthub status`',
  list_tasks: '`agenthub tasks`',
  get_task: '`agenthub task`',
  get_inbox: '`agenthub inbox`',
  ack_inbox: '`agenthub inbox --ack`',
  retry_task: '`agenthub retry`',
  idempotency_key: '--idempotency-key',
};

const WORDS = new RegExp(`\\b(?:${Object.keys(COMMANDS).join('|')})\\b`, 'g');

export function inCommands(message: string): string {
  return message.replace(WORDS, (word) => COMMANDS[word] ?? word);
}
