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
