// 答复（不结束任务）和结束任务的文字。
import type { Words } from '../en.ts';

export const answer: Words['answer'] = {
  act: '答复',
  open: '答复…',
  title: (alias) => `答复 ${alias}`,
  label: '你的答复',
  taskHint: '任务会继续进行。',
  taskEnded: '任务已结束。其智能体会收到这条消息。',
  need: '请输入答复。',
  message: {
    title: (alias) => `给 ${alias} 发消息`,
    label: '你的消息',
    need: '请输入消息。',
    submit: '发送消息',
  },
  meanwhile: '此消息在此期间已被回答或标记为已读。',
  submit: '发送答复',
  moved: (alias, said) => `${alias} 在你打开此对话框后有了变化${said === '' ? '' : `：“${said}”`}。仍要发送吗？`,
  lastActive: (time) => `最近一次活动在 ${time}前。`,
  sees: (alias) => `${alias} 下次读取收件箱时会看到你的消息。`,
  seesIdle: (alias) => `${alias} 若在等待新消息，会立即收到；否则会在下次读取收件箱时看到。`,
  waits: (alias) => `你的消息会保留在 ${alias} 的收件箱中。`,
};

export const settle: Words['settle'] = {
  act: '结束任务',
  open: '结束任务…',
  title: '结束此任务',
  hint: (sender) => `任务将就此结束，结果会发送给发送方 ${sender}。`,
  label: '结果',
  choice: '任务',
  goesOn: '答复，任务继续',
  outcome: '结束状态',
  need: '请输入结果。',
  submit: '结束任务',
  done: '任务已结束。',
};
