// English. Every word a person reads stands in the files of en/, by page, and under the same keys in those of its siblings.
import { agentStatus, taskStatus, priority } from './en/states.ts';
import { pages, frame, palette, help, live, copy } from './en/frame.ts';
import { filters, sheet, role } from './en/lists.ts';
import { overview } from './en/overview.ts';
import { agents, agent } from './en/agents.ts';
import { tasks } from './en/tasks.ts';
import { task } from './en/task.ts';
import { send } from './en/send.ts';
import { sign } from './en/sign.ts';
import { errors } from './en/errors.ts';
import { connect } from './en/connect.ts';
import { networks, network } from './en/networks.ts';
import { tokens } from './en/tokens.ts';
import { messages } from './en/messages.ts';
import { profile } from './en/profile.ts';
import { admin } from './en/admin.ts';
import { demo } from './en/demo.ts';

export const en = {
  name: 'English',
  loading: 'Loading',
  taskOf: (alias: string) => `Task for ${alias}`,
  changed: (subject: string, status: string) => `${subject}: ${status}`,
  agentStatus, taskStatus, priority, pages, frame, palette, help, live, copy, filters, sheet, role, overview,
  agents, agent, tasks, task, send, sign, errors, connect, networks, network, tokens, messages, profile,
  admin, demo,
};

export type Words = typeof en;
