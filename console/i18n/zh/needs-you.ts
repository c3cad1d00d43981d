// 待处理事项列表的文字。
import type { Words } from '../en.ts';

export const needsYou: Words['needsYou'] = {
  title: '需要你处理',
  none: '没有需要你处理的事项。',
  act: {
    answer: '答复',
    retry: '重试',
    reassign: '转交',
    cancel: '取消',
    dismiss: '忽略',
    read: '标为已读',
    dismissAll: '全部忽略',
    readAll: '全部标为已读',
  },
  done: '已处理',
  answered: '已答复',
  failures: (n) => `${n} 次失败`,
  asked: (from) => `${from} 发给你的任务。`,
  stuck: (time) => `已有 ${time}没有进展`,
  failed: (alias) => `${alias} 执行失败。`,
  failedWith: (alias, result) => `${alias} 执行失败：${result}`,
  expired: (alias) => `${alias} 未能在过期前完成。`,
  expiring: (alias, time) => `${time}后过期。接收方：${alias}。`,
  unfetched: (alias, time, left) => `${alias} 已有 ${time}未读取此任务，${left}后过期。`,
  dismissFailures: '忽略所有失败',
  showAll: (n) => `显示全部 ${n} 项`,
  more: (n) => `另有 ${n} 项`,
  fresh: (n) => `${n} 个新事项`,
  keys: '“需要你处理”列表',
};
