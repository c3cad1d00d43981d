// 发送对话框的文字。
import type { Words } from '../en.ts';

export const send: Words['send'] = {
  title: { task: '发送任务', message: '发送消息', broadcast: '发送给所有在线智能体' },
  to: '接收方',
  toHint: '智能体别名。智能体离线时，内容会保留在其收件箱中。',
  taskHint: '描述要做什么，以及完成的标准。',
  submit: '发送',
  sending: '正在发送…',
  sent: (alias) => `已发送给 ${alias}。`,
  sentToOffline: (alias) => `已发送到 ${alias} 的收件箱。该智能体当前离线。`,
  sentToUnknown: (alias) => `已发送到 ${alias} 的收件箱。还没有智能体使用此别名上报。`,
  open: '打开',
  needAlias: '请输入智能体别名。',
  needTask: '请描述要做什么。',
};
