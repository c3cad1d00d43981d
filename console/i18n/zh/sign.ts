// 登录与注册。
import type { Words } from '../en.ts';

export const sign: Words['sign'] = {
  inTitle: '登录',
  upTitle: '创建账号',
  firstTitle: '设置这个中枢',
  firstText: '你是第一位用户，你的账号将成为管理员。',
  lead: '掌握智能体的动向，指挥它们工作。',
  invited: '你受邀加入一个网络。请登录或创建账号后加入。',
  username: '用户名',
  usernameHint: '2 到 50 个字母、数字、下划线或汉字',
  password: '密码',
  passwordHint: '至少 6 个字符',
  show: '显示密码',
  setup: '设置令牌',
  setupHint: '中枢启动时会打印出来。',
  stay: '在此设备上保持登录',
  in: '登录',
  up: '创建账号',
  busyIn: '正在登录…',
  busyUp: '正在创建…',
  toUp: '还没有账号？',
  toUpLink: '创建账号',
  toIn: '已有账号？',
  toInLink: '登录',
  ended: { expired: '登录已过期，请重新登录。', left: '你已退出登录。' },
};
