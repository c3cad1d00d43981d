// 发送任务。
import type { Words } from '../en.ts';

export const send: Words['send'] = {
  act: '发送任务',
  title: { task: '发送任务', message: '发送消息', broadcast: '发送给所有智能体' },
  to: '接收方',
  toHint: '智能体的别名。若它尚未接入，内容会在收件箱中等待。',
  taskHint: '要做什么，以及怎样算完成。',
  submit: '发送',
  sending: '发送中…',
  cancel: '关闭',
  sent: (alias) => `已发送给 ${alias}。`,
  sentToOffline: (alias) => `已发送。${alias} 处于离线状态，内容会在收件箱中等待它恢复。`,
  sentToUnknown: (alias) => `已发送。还没有智能体以 ${alias} 之名报到，内容会在收件箱中等待。`,
  open: '打开',
  needAlias: '请填写智能体的别名。',
  needTask: '请写明要做什么。',
  tooLong: (most) => `最多 ${most} 个字符。`,
};
