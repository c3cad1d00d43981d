// 智能体状态、任务状态和优先级的名称。
import type { Words } from '../en.ts';

export const agentStatus: Words['agentStatus'] = {
  working: '工作中',
  idle: '空闲',
  waiting_input: '等待输入',
  blocked: '受阻',
  error: '出错',
  offline: '离线',
};

export const taskStatus: Words['taskStatus'] = {
  delivered: '已送达',
  running: '进行中',
  replied: '已回复',
  failed: '失败',
  cancelled: '已取消',
  expired: '已过期',
};

export const priority: Words['priority'] = { high: '高', normal: '普通', low: '低' };
