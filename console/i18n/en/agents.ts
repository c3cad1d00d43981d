// The list of agents, and the page of one.
import { count } from './count.ts';

export const agents = {
  title: 'Agents',
  filter: 'Agents by status',
  column: { agent: 'Agent', status: 'Status', work: 'Works on', model: 'Model', host: 'Host', inbox: 'Inbox', seen: 'Seen', act: 'Actions' },
  progress: (percent: number) => `${percent} %`,
  inbox: (n: number) => count(n, 'message waits', 'messages wait'),
  send: (alias: string) => `Send a task to ${alias}`,
  showMore: (n: number, all: number) => `Show ${n} more of ${all}`,
  arrived: (n: number) => count(n, 'new agent', 'new agents'),
  emptyTitle: 'No agents yet',
  emptyText: 'An agent appears here by itself the moment it reports its status.',
  emptyAct: 'Connect an agent',
  noneTitle: (status: string) => `No agent is “${status}”`,
  clear: 'Show all',
};

export const agent = {
  unknownTitle: (alias: string) => `No agent has reported as “${alias}”`,
  unknownText: 'A task sent to this name waits in its inbox until an agent reports by it.',
  send: 'Send a task',
  message: 'Send a message',
  facts: 'About',
  fact: {
    agent: 'Kind', model: 'Model', hostname: 'Host', server: 'Server', project_dir: 'Directory', version: 'Version',
    tmux_name: 'tmux', node_name: 'Node', node_id: 'Node id', session_id: 'Session', resume_id: 'Resume id',
    config_path: 'Configuration', channels: 'Channels', score: 'Own rating',
  },
  seen: 'Last sign of life',
  ago: 'ago',
  inbox: 'Inbox',
  conversation: 'Conversation',
  inboxEmpty: 'The inbox is empty.',
  kind: { task: 'Task', message: 'Message', reply: 'Reply', broadcast: 'Broadcast', cancel: 'Withdrawn task' },
  live: 'Live tasks',
  liveEmpty: 'It has no task to do.',
  past: 'Past tasks',
  pastEmpty: 'It has settled no task yet.',
  all: 'All its tasks',
  sentBy: 'Tasks it sent',
  completions: 'Completions',
  completionsEmpty: 'It has reported nothing done yet.',
  score: (score: number) => `rated ${score} of 10`,
  minutes: (minutes: number) => `took ${minutes} min`,
  output: 'Latest output',
  outputEmpty: 'It has shown no output.',
  timeline: 'Timeline',
  timelineEmpty: 'Nothing has happened here yet.',
  moment: {
    sent: 'Task arrived', fetched_at: 'Task fetched', started_at: 'Task started', message: 'Message arrived', completion: 'Reported done',
  },
};
