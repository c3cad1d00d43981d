// 智能体列表与单个智能体的页面。
import type { Words } from '../en.ts';

export const agents: Words['agents'] = {
  title: '智能体',
  filter: '按状态筛选智能体',
  column: { agent: '智能体', status: '状态', work: '正在处理', model: '模型', host: '主机', inbox: '收件箱', seen: '活动', act: '操作' },
  progress: (percent) => `${percent}%`,
  inbox: (n) => `${n} 条待处理消息`,
  send: (alias) => `向 ${alias} 发送任务`,
  showMore: (n, all) => `再显示 ${n} 个，共 ${all} 个`,
  arrived: (n) => `${n} 个新智能体`,
  emptyTitle: '还没有智能体',
  emptyText: '智能体上报状态后，会立即出现在这里。',
  emptyAct: '接入智能体',
  noneTitle: (status) => `没有处于“${status}”状态的智能体`,
  clear: '显示全部',
};

export const agent: Words['agent'] = {
  unknownTitle: (alias) => `还没有智能体以“${alias}”的名义上报`,
  unknownText: '发给这个名字的任务会在收件箱中等待，直到有智能体以此名上报。',
  send: '发送任务',
  message: '发送消息',
  facts: '基本信息',
  fact: {
    agent: '类型', model: '模型', hostname: '主机', server: '服务器', project_dir: '目录', version: '版本',
    tmux_name: 'tmux', node_name: '节点', node_id: '节点 ID', session_id: '会话', resume_id: '恢复 ID',
    config_path: '配置', channels: '频道', score: '自评',
  },
  seen: '上次活动',
  ago: '前',
  inbox: '收件箱',
  conversation: '查看会话',
  inboxEmpty: '收件箱是空的。',
  kind: { task: '任务', message: '消息', reply: '回复', broadcast: '广播', cancel: '撤回的任务' },
  live: '当前任务',
  liveEmpty: '没有待办任务。',
  past: '过往任务',
  pastEmpty: '还没有结束过任务。',
  all: '它的所有任务',
  sentBy: '它发送的任务',
  completions: '完成记录',
  completionsEmpty: '还没有上报过完成的工作。',
  score: (score) => `评分 ${score}/10`,
  minutes: (minutes) => `用时 ${minutes} 分钟`,
  output: '最近输出',
  outputEmpty: '没有输出。',
  timeline: '时间线',
  timelineEmpty: '这里还没有发生过什么。',
  moment: {
    sent: '任务到达', fetched_at: '任务被取走', started_at: '任务开始', message: '消息到达', completion: '上报完成',
  },
};
