// 全局视图的文字：消息时序图、后续任务、指标。
import type { Words } from '../en.ts';

export const sequence: Words['sequence'] = {
  lanes: '智能体和用户',
  others: '其他',
  addAgent: '添加智能体',
  removeAgent: (alias) => `移除 ${alias}`,
  anyKind: '所有类型',
  view: '视图',
  views: { diagram: '图形', list: '列表' },
};

export const gantt: Words['gantt'] = {
  title: '后续任务',
  note: '每个任务下方是其智能体在执行期间发送的任务，其中可能有无关的任务。',
  alone: '执行期间，该智能体没有发送其他任务。',
  cut: '还有更多任务未显示。',
  times: (waited, ran) => `等待 ${waited}${ran === undefined ? '' : `，执行 ${ran}`}`,
};

export const figures: Words['figures'] = {
  title: '指标',
  spans: { hour: '最近 1 小时', day: '最近 1 天', week: '最近 1 周' },
  queueAge: '当前最长等待时间',
  empty: '无',
  timeToStart: '从送达到开始（中位数）',
  timeToSettle: '从送达到结束（中位数）',
  p95: (time) => `95% 不超过 ${time}`,
  slowest: (time) => `95%：${time}`,
  failureRate: '失败率',
  failures: (failed, all) => `${all} 个任务中有 ${failed} 个失败或过期`,
  of: (failed, all) => `${failed} / ${all}`,
  throughput: '每小时结束数',
  note: (since, until) =>
    `按 15 分钟统计：自 ${since} 起，至 ${until} 止，不含已取消的任务。时间为估算值，误差不到 1.5 倍。`,
};
