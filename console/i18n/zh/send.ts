// 发送对话框的文字。
import type { Words } from '../en.ts';

export const send: Words['send'] = {
  title: { task: '发送任务', message: '发送消息', broadcast: '发送给所有在线智能体' },
  to: '接收方',
  toHint: '智能体别名。智能体离线时，内容会保留在其收件箱中。',
  taskHint: '描述要做什么，以及完成的标准。',
  submit: '发送',
  sending: ({ done, all }) => (all > 1 ? `正在发送第 ${done + 1} 个，共 ${all} 个…` : '正在发送…'),
  discard: '放弃草稿',
  addRecipient: '添加',
  addIdle: (n) => `添加 ${n} 个空闲智能体`,
  recipients: '接收方列表',
  removeRecipient: (alias) => `移除 ${alias}`,
  eachHint: (n) => `${n} 个智能体会各自收到一份。广播是发给在线智能体的一条消息，不会启动任何工作。`,
  sentToSeveral: (n, waiting) => `已发送给 ${n} 个智能体${waiting > 0 ? `，其中 ${waiting} 个不在线` : ''}。`,
  notSent: (n, all) => `${all} 个智能体中有 ${n} 个未发送成功，再次发送即可重试。`,
  needValue: (name) => `请填写“${name}”。`,
  sent: (alias) => `已发送给 ${alias}。`,
  sentToOffline: (alias) => `已发送到 ${alias} 的收件箱。该智能体当前离线。`,
  sentToUnknown: (alias) => `已发送到 ${alias} 的收件箱。还没有智能体使用此别名上报。`,
  open: '打开',
  needAlias: '请输入智能体别名。',
  needTask: '请描述要做什么。',
};

export const templates: Words['templates'] = {
  label: '模板',
  none: '不使用模板',
  save: '存为模板',
  edit: '编辑模板',
  name: '模板名称',
  hint: '双花括号中的名称（例如 {{branch}}）会变成输入框。模板只保存在此浏览器中。',
  replaces: '将用下方文字替换同名模板。',
  saveNew: '保存模板',
  saveChanges: '保存更改',
  delete: '删除模板',
  needText: '请先在下方填写文字。',
  replaced: '模板替换了你的文字。',
  undo: '恢复我的文字',
  values: '模板变量',
  use: (name) => `使用模板：${name}`,
};
