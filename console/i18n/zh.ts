// 简体中文，与 en 逐键对应。
import type { Words } from './en.ts';
import { profile, sign } from './zh/account.ts';
import { admin } from './zh/admin.ts';
import { agent, agents } from './zh/agents.ts';
import { answer, settle } from './zh/answer.ts';
import { connect } from './zh/connect.ts';
import { demo } from './zh/demo.ts';
import { errors } from './zh/errors.ts';
import { find } from './zh/find.ts';
import { figures, gantt, sequence } from './zh/fleet.ts';
import { copy, frame, help, live, pages, palette } from './zh/frame.ts';
import { common, filters, role } from './zh/lists.ts';
import { messages, text } from './zh/messages.ts';
import { needsYou } from './zh/needs-you.ts';
import { network, networks } from './zh/networks.ts';
import { notifiers } from './zh/notifiers.ts';
import { overview } from './zh/overview.ts';
import { send, templates } from './zh/send.ts';
import { agentStatus, priority, taskStatus } from './zh/states.ts';
import { task } from './zh/task.ts';
import { tasks } from './zh/tasks.ts';
import { tokens } from './zh/tokens.ts';

export const zh: Words = {
  loading: '加载中',
  taskOf: (alias) => `${alias} 的任务`,
  labelled: (label, value) => `${label}：${value}`,
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
