// 发送任务。
import type { Words } from '../en.ts';

export const send: Words['send'] = {
  act: '发送任务',
  title: '发送任务',
  to: '接收方',
  toHint: '智能体的别名。若它尚未接入，任务会在收件箱中等待。',
  task: '任务',
  taskHint: '要做什么，以及怎样算完成。',
  priority: '优先级',
  submit: '发送',
  sending: '发送中…',
  cancel: '关闭',
  sent: (alias) => `任务已发送给 ${alias}。`,
  needAlias: '请填写智能体的别名。',
  needTask: '请写明要做什么。',
  tooLong: (most) => `最多 ${most} 个字符。`,
};
