// 出错时的说明与对策。
import type { Words } from '../en.ts';

export const errors: Words['errors'] = {
  usernameMissing: '请输入用户名。',
  usernameRule: '请使用 2 到 50 个字母、数字、下划线或汉字。',
  usernameTaken: '该用户名已被使用，请换一个。',
  passwordMissing: '请输入密码。',
  passwordShort: '请至少使用 6 个字符。',
  passwordLong: '请最多使用 256 个字符。',
  credentials: '用户名或密码错误。',
  setupToken: '设置令牌不正确。请查看中枢启动时打印的内容或其日志。',
  registrationClosed: '此中枢不接受注册，请向管理员索取账号。',
  inviteRequired: '请输入网络成员给你的邀请码或邀请链接。',
  disabled: '此账号已停用，请联系中枢的运维人员。',
  rateLimited: (seconds) => (seconds === null ? '尝试次数过多，请稍候。' : `尝试次数过多，请在 ${seconds} 秒后重试。`),
  unreachable: '中枢没有响应。请检查它是否在运行，以及你是否在线。',
  internal: '中枢处理失败，原因见其日志。',
  terminal: '任务已经结束。',
  permission: '你在此网络中的角色只能查看。',
  license: '此网络的试用期已结束，可由运营者解除。',
  inviteInvalid: '没有这个邀请，请索取新的。',
  inviteExpired: '此邀请已过期，请索取新的。',
  inviteUsedUp: '此邀请的次数已用完，请索取新的。',
  alreadyMember: '你已经是此网络的成员。',
  networkFull: '此网络的成员已满，可由所有者提高上限。',
  duplicate: '五分钟内已发送相同内容二十次，请先查看答复。',
  other: (message) => `中枢拒绝了请求：${message}`,
};
