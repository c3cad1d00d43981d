// 总览页面的文字。
import type { Words } from '../en.ts';

export const overview: Words['overview'] = {
  title: '总览',
  allAgents: '查看所有智能体',
  throughput: '吞吐量',
  span: '时间范围',
  series: { sent: '已发送', replied: '已回复', failed: '失败', cancelled: '已取消', expired: '已过期' },
  noThroughput: '这段时间内没有任务发送或结束。',
  oldestWaiting: '等待最久的任务',
  noWaitingTasks: '没有等待开始的任务。',
  allWaiting: '查看所有等待中的任务',
  failures: '最近失败的任务',
  noFailures: '没有失败的任务。',
  allFailures: '查看所有失败的任务',
  chart: (sent, finished) => `这段时间内发送 ${sent} 个任务，结束 ${finished} 个`,
};
