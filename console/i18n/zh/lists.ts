// 所有列表共用的文字。
import type { Words } from '../en.ts';

export const filters: Words['filters'] = {
  label: '筛选',
  searchTasks: '搜索任务和结果',
  searchAgents: '按名称、任务、模型或主机搜索',
  server: '服务器',
  anyServer: '所有服务器',
  to: '接收方',
  from: '发送方',
  anyone: '不限',
  priority: '优先级',
  anyPriority: '所有优先级',
  age: '发送时间',
  anyAge: '不限时间',
  ages: {
    'under-1h': '最近 1 小时',
    'under-1d': '最近 1 天',
    'under-7d': '最近 7 天',
    'over-1h': '1 小时以前',
    'over-1d': '1 天以前',
  },
  clear: '清除筛选',
  noResultsTitle: '没有符合筛选条件的结果',
  noResultsText: '请更改筛选条件，或清除全部筛选。',
  shown: (shown, all) => `${shown} / ${all}`,
  matching: (_n, shown) => `${shown} 个任务符合条件`,
  newTasks: (n) => `${n} 个新任务`,
};

export const common: Words['common'] = {
  showMore: '显示更多',
  never: '从未',
  actions: '操作',
  you: '你',
  close: '关闭',
  cancel: '取消',
  save: '保存',
  saved: '已保存。',
};

export const role: Words['role'] = { owner: '所有者', member: '成员', viewer: '查看者' };
