// 各页面共用的文字：导航、命令面板、快捷键和连接状态。
import type { Words } from '../en.ts';

export const pages: Words['pages'] = {
  overview: '总览',
  agents: '智能体',
  agent: '智能体',
  tasks: '任务',
  task: '任务',
  messages: '消息',
  message: '消息',
  search: '搜索',
  sequence: '时序图',
  networks: '网络',
  network: '网络',
  tokens: '令牌',
  connect: '接入',
  profile: '个人资料',
  admin: '管理',
};

export const frame: Words['frame'] = {
  product: 'agenthub',
  skip: '跳到正文',
  home: 'agenthub，总览',
  breadcrumb: '当前位置',
  pages: '页面',
  more: '更多',
  morePages: '更多页面',
  search: '搜索或执行命令…',
  noAct: (key: string, keys: string) => `“${key}”在此行无操作。此行可用按键：${keys}。`,
  accountMenu: '账号与设置',
  signedInAs: '当前账号',
  network: '网络',
  connect: '接入智能体',
  signOut: '退出登录',
  theme: '主题',
  themes: { auto: '跟随系统', light: '浅色', dark: '深色' },
  language: '语言',
  crashTitle: '页面出错了',
  crashText: '请重新加载页面。数据不会丢失。',
  reload: '重新加载',
  notFoundTitle: '页面不存在',
  notFoundText: '请检查地址，它可能对应更高版本的 agenthub 服务。',
  toOverview: '前往总览',
  loadFailedTitle: '无法加载此页面',
  loadFailedText: 'agenthub 服务没有响应或已更新。重新加载即可获取当前版本。',
};

export const palette: Words['palette'] = {
  thisPage: '本页',
  thisRow: '此行',
  title: '命令面板',
  placeholder: '搜索全部内容、粘贴 ID 或执行命令',
  escape: 'Esc',
  page: '页面',
  action: '操作',
  searchAll: (text) => `在全部内容中搜索“${text}”`,
};

export const help: Words['help'] = {
  title: '快捷键',
  allPages: '所有页面',
  goTo: '前往',
  lists: '列表',
  palette: '打开命令面板',
  search: '搜索当前页面',
  send: '发送任务、消息或广播',
  close: '关闭对话框、离开输入框或取消选择',
  move: '下一行或上一行',
  select: '选中该行',
  extend: '扩展选择范围（Shift）',
  open: '打开该行',
};

export const live: Words['live'] = {
  title: '连接',
  state: { connecting: '连接中', live: '已连接', reconnecting: '重新连接中', offline: '离线' },
  disconnected: '与 agenthub 服务的连接已断开。',
  asOf: (time) => `当前显示 ${time} 的数据。`,
  nextRetry: (seconds) => (seconds > 0 ? `${seconds} 秒后重试。` : '正在重试…'),
  retryNow: '立即重试',
  failed: '无法加载智能体和任务。',
  listFailed: '无法加载此列表。',
  retry: '重试',
};

export const copy: Words['copy'] = {
  ready: '复制',
  done: '已复制',
  failed: '请按 Ctrl+C',
  copyNamed: (what) => `复制：${what}`,
};
