// The table of events. The fields are those of the events that the code creates.
import { AGENT_EVENTS, type AgentEventName, arrivalOf, NETWORK_EVENTS } from '../../server/domain/events.ts';
import type { NewMessage } from '../../server/domain/message.ts';
import { table } from './markdown.ts';

const CAUSES: Readonly<Record<AgentEventName, { type: NewMessage['type']; when: string }>> = {
  new_task: { type: 'task', when: 'a task arrives: sent, retried or reassigned' },
  new_message: {
    type: 'message',
    when: 'a message arrives, including the notice that a task was cancelled or reassigned',
  },
  new_reply: { type: 'reply', when: 'a reply arrives' },
  broadcast: { type: 'broadcast', when: 'a broadcast arrives' },
};

const CHANGES: Readonly<Record<(typeof NETWORK_EVENTS)[number], readonly [when: string, data: string]>> = {
  session: ['a session changes; on `GET /events` only', 'the session as in `GET /api/status`'],
  task: ['a task changes; on `GET /events` only', 'the task as in `GET /api/tasks`'],
};

export function eventTable(): string {
  const rows = [
    ...AGENT_EVENTS.map((name) => [`\`${name}\``, CAUSES[name].when, fieldsOf(name)]),
    ...NETWORK_EVENTS.map((name) => [`\`${name}\``, ...CHANGES[name]]),
    [
      '`changed`',
      'a list that the user may read changes; on `GET /events?changes=true` only, not replayed',
      '`what`, `network_id`',
    ],
    ['`heartbeat`', 'the stream opens, and then every `heartbeat_seconds`', '`time`'],
    ['`resync`', 'what was missed can no longer be replayed: read the lists again', '`reason`, `id`'],
  ];
  return `Every event's data also has \`type\`, and on \`GET /events\` an \`alias\` if it has an addressee.\n\n${table(['event', 'when', 'data'], rows)}`;
}

function fieldsOf(name: AgentEventName): string {
  const { type, ...fields } = arrivalOf({ ...SAMPLE, type: CAUSES[name].type }, 1);
  if (type !== name) throw new Error(`a message of type ${CAUSES[name].type} arrives as ${type}, not as ${name}`);
  return Object.keys(fields)
    .map((field) => `\`${field}\``)
    .join(', ');
}

const SAMPLE = { id: '', network_id: '', alias: '', content: '', from_session: '', priority: 'normal' } as const;
