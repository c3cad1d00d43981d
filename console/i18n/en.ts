// All English texts, in one file per page. The other languages have the same keys.
import { profile, sign } from './en/account.ts';
import { admin } from './en/admin.ts';
import { agent, agents } from './en/agents.ts';
import { answer, settle } from './en/answer.ts';
import { connect } from './en/connect.ts';
import { demo } from './en/demo.ts';
import { errors } from './en/errors.ts';
import { find } from './en/find.ts';
import { figures, gantt, sequence } from './en/fleet.ts';
import { copy, frame, help, live, pages, palette } from './en/frame.ts';
import { common, filters, role } from './en/lists.ts';
import { messages, text } from './en/messages.ts';
import { needsYou } from './en/needs-you.ts';
import { network, networks } from './en/networks.ts';
import { notifiers } from './en/notifiers.ts';
import { overview } from './en/overview.ts';
import { send, templates } from './en/send.ts';
import { agentStatus, priority, taskStatus } from './en/states.ts';
import { task } from './en/task.ts';
import { tasks } from './en/tasks.ts';
import { tokens } from './en/tokens.ts';

export const en = {
  loading: 'Loading',
  taskOf: (alias: string) => `Task for ${alias}`,
  labelled: (label: string, value: string) => `${label}: ${value}`,
  agentStatus,
  taskStatus,
  priority,
  pages,
  frame,
  palette,
  find,
  help,
  live,
  copy,
  filters,
  common,
  role,
  overview,
  needsYou,
  agents,
  agent,
  tasks,
  task,
  answer,
  settle,
  send,
  templates,
  sign,
  errors,
  connect,
  networks,
  network,
  tokens,
  messages,
  sequence,
  gantt,
  figures,
  text,
  notifiers,
  profile,
  admin,
  demo,
};

export type Words = typeof en;
