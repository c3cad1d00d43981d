// status: lists the agents and their current tasks, or shows one agent in detail.
import type { completionSummary } from '../../domain/completion.ts';
import type { SessionSummary, sessionRecord } from '../../domain/session.ts';
import { printable } from '../../domain/text/terminal-text.ts';
import { age, colored, facts, type OutputOptions, sayAnswer, table, zoned } from '../output.ts';
import { agentHub, networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';

export type StatusOptions = HubOptions & OutputOptions & { status?: string };

export async function status(alias: string | undefined, options: StatusOptions): Promise<void> {
  if (alias !== undefined) return showAgent(alias, options);
  const hub = await networkHub(options);
  const answer = await hub.getAll<{ sessions: ListedSession[] }>('/api/status', 'sessions', {
    status: options.status,
  });
  sayAnswer(options, answer, ({ sessions }) =>
    sessions.length === 0 ? 'no agent has reported yet' : table(HEADINGS, sessions.map(row)),
  );
}

type ListedSession = SessionSummary & { inbox_count: number };

const HEADINGS = ['ALIAS', 'STATUS', 'SEEN', 'INBOX', 'AGENT', 'HOST', 'TASK'];

function row(session: ListedSession) {
  const { alias, status, last_seen_at, inbox_count, agent, model, hostname, task, progress } = session;
  const doing = [task, progress === null || task === null ? null : `${progress}%`]
    .filter((part) => part !== null)
    .join(' · ');
  return [
    alias,
    status,
    `${age(last_seen_at)} ago`,
    inbox_count,
    [agent, model].filter(Boolean).join(' ') || null,
    hostname,
    doing || null,
  ];
}

type AgentAnswer = {
  session: ReturnType<typeof sessionRecord>;
  inbox_pending: number;
  recent_completions: ReturnType<typeof completionSummary>[];
};

export async function showAgent(alias: string, options: HubOptions & OutputOptions): Promise<void> {
  const hub = await agentHub(options);
  const answer = await hub.tool<AgentAnswer>('get_session_status', { alias });
  sayAnswer(options, answer, describeAgent);
}

function describeAgent({ session, inbox_pending, recent_completions }: AgentAnswer): string {
  const known = facts([
    ['alias', session.alias],
    ['status', colored(session.status)],
    ['seen', `${age(session.last_seen_at)} ago (${zoned(session.last_seen_at)})`],
    ['task', session.task],
    ['progress', session.progress === null ? null : `${session.progress}%`],
    ['inbox', inbox_pending],
    ['agent', [session.agent, session.model, session.version].filter(Boolean).join(' ')],
    ['host', [session.hostname ?? session.server, session.project_dir].filter(Boolean).join(' ')],
    ['resume_id', session.resume_id],
  ]);
  const completed = recent_completions.map(({ completed_at, task }) => [`${age(completed_at)} ago`, task]);
  return [
    known,
    ...(completed.length > 0 ? [table(['COMPLETED', 'WHAT'], completed)] : []),
    ...(session.output ? [`output\n${printable(session.output)}`] : []),
  ].join('\n\n');
}
