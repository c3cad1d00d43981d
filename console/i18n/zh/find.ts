// 搜索、已存筛选和导出的文字。
import type { Words } from '../en.ts';

export const find: Words['find'] = {
  field: '搜索任务、结果、消息和智能体，或粘贴 ID',
  tasks: '任务和结果',
  messages: '消息',
  agents: '智能体',
  open: (kind, id) => `打开${kind} ${id}`,
  noId: '此网络中没有这个 ID。',
  running: '搜索中…',
  found: { running: (n) => `已找到 ${n} 条，搜索中…`, cut: (n) => `${n} 条，可能还有更多`, whole: (n) => `${n} 条` },
  more: '继续搜索',
  none: '没有找到。',
  filterTasks: '在任务页筛选',
  startTitle: '搜索此网络',
  startText: '在任务、任务结果、消息和智能体中查找文字。输入 ID 可直接打开对应页面。',
  conversation: '打开对话',
  noMessage: '消息不存在',
  noMessageText: '消息可能已删除，或属于其他网络。',
};
