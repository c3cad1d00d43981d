// 错误信息：原因和处理方法。
import type { Words } from '../en.ts';

export const errors: Words['errors'] = {
  usernameMissing: '请输入用户名。',
  usernameRule: (min, max) => `请使用 ${min} 到 ${max} 个字母、数字、下划线或汉字。`,
  usernameTaken: '该用户名已被使用，请更换。',
  passwordMissing: '请输入密码。',
  nameMissing: '请输入名称。',
  tooShort: (min) => `至少需要 ${min} 个字符。`,
  tooLong: (max) => `最多 ${max} 个字符。`,
  wholeNumber: (min, max) => `请输入 ${min} 到 ${max} 的整数。`,
  credentials: '用户名或密码错误。',
  setupExpired: '初始化链接已过期。新链接已写入 agenthub 服务的日志。',
  setupToken: '初始化令牌不正确。请查看 agenthub 服务的启动输出或日志。',
  registrationClosed: '此 agenthub 服务未开放注册，请联系其运维人员获取账号。',
  inviteRequired: '请输入你收到的邀请码或邀请链接。',
  accountDisabled: '此账号已停用，请联系 agenthub 服务的运维人员。',
  rateLimited: (seconds) =>
    seconds === null ? '尝试次数过多，请稍后再试。' : `尝试次数过多，请在 ${seconds} 秒后重试。`,
  unreachable: '无法连接 agenthub 服务。请确认服务正在运行，并检查你的网络连接。',
  internal: 'agenthub 服务出错，详情请查看服务日志。',
  taskFinished: '任务已经结束。',
  readOnly: '你在此网络中只有查看权限。',
  trialExpired: '此网络的试用期已结束，可由 agenthub 服务的运维人员延长或解除。',
  inviteInvalid: '此邀请不存在，请索取新的邀请。',
  inviteExpired: '此邀请已过期，请索取新的邀请。',
  inviteUsedUp: '此邀请已达到使用次数上限，请索取新的邀请。',
  alreadyMember: '你已经是此网络的成员。',
  networkFull: '此网络已达到成员上限，可由所有者提高上限。',
  duplicate: (times, minutes) => `${minutes} 分钟内已发送相同内容 ${times} 次，请先查看回复。`,
  other: (message) => `agenthub 服务拒绝了请求：${message}`,
};
