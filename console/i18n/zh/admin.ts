// 系统管理。
import type { Words } from '../en.ts';

export const admin: Words['admin'] = {
  title: '管理',
  onlyTitle: '此页面仅供中枢管理员使用',
  onlyText: '你的账号不是管理员。你可以通过 REST 查看自己网络的审计日志。',
  tabs: '部分',
  tab: { users: '用户', statistics: '统计', audit: '审计日志' },
  userColumn: { name: '用户', role: '角色', email: '邮箱', created: '注册' },
  userRole: { admin: '管理员', user: '用户' },
  searchUsers: '搜索用户',
  noUsers: '没有符合搜索条件的用户。',
  version: '版本',
  uptime: '已运行',
  users: '用户',
  networks: '网络',
  agents: '智能体',
  online: '在线',
  tasks: '任务',
  auditColumn: { when: '时间', actor: '操作者', action: '操作', target: '对象', detail: '详情', network: '网络', ip: '来源' },
  action: '操作',
  anyAction: '所有操作',
  actor: '操作者',
  actions: {
    'invite.create': '生成邀请', 'invite.withdraw': '撤回邀请', 'member.change': '更改角色', 'member.join': '加入',
    'member.remove': '移除成员', 'network.create': '新建网络', 'network.delete': '删除网络', 'network.update': '修改网络',
    'token.create': '新建令牌', 'token.revoke': '撤销令牌', 'user.login': '登录', 'user.login_failed': '登录失败',
    'user.password': '修改密码', 'user.register': '注册',
  },
  noEntries: '没有符合筛选条件的记录。',
};
