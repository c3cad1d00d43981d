// 个人资料页面的文字。
import type { Words } from '../en.ts';

export const profile: Words['profile'] = {
  title: '个人资料',
  name: '名称',
  username: '用户名',
  role: { admin: 'agenthub 服务管理员', user: '用户' },
  displayName: '显示名称',
  displayNameHint: '其他用户看到的名称。用户名不会改变。',
  save: '保存',
  saved: '名称已保存。',
  password: '密码',
  oldPassword: '当前密码',
  newPassword: '新密码',
  change: '修改密码',
  changed: '密码已修改，其他位置的登录均已失效。',
  incorrectPassword: '当前密码不正确。',
  appearance: '外观',
  sessions: '此设备',
  sessionsText: '退出登录后，此浏览器中使用同一登录状态的标签页也会一并退出。',
  otherSessions: '查看其他登录',
};
