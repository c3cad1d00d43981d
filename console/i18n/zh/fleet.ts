// 全局视图的文字：消息时序图。
import type { Words } from '../en.ts';

export const sequence: Words['sequence'] = {
  title: '时序图',
  list: '消息，从早到晚',
  lanes: '智能体和用户',
  others: '其他',
  addAgent: '添加智能体',
  removeAgent: (alias) => `移除 ${alias}`,
  anyKind: '所有类型',
  span: '时间范围',
  anyTime: '不限时间',
  spans: { hour: '最近 1 小时', day: '最近 24 小时', week: '最近 7 天' },
  view: '视图',
  views: { diagram: '图', list: '列表' },
};

export const gantt: Words['gantt'] = {
  title: '后续任务',
  sequence: '时序图',
  note: 'agenthub 不记录任务之间的因果关系。这里显示的是智能体在执行上一级任务期间发送的任务，其中可能包含其他工作的任务。',
  alone: '执行期间，该智能体没有发送其他任务。',
  cut: '还有更多任务未显示。',
  times: (waited, ran) => `等待 ${waited}，执行 ${ran}`,
};
