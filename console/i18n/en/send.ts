// Sending a task.

export const send = {
  act: 'Send a task',
  title: { task: 'Send a task', message: 'Send a message', broadcast: 'Send to all agents' },
  to: 'To',
  toHint: 'The alias of an agent. What is sent to one that is not here yet waits in its inbox.',
  taskHint: 'What is to be done, and how you will know that it is.',
  submit: 'Send',
  sending: 'Sending…',
  cancel: 'Close',
  sent: (alias: string) => `Sent to ${alias}.`,
  sentToOffline: (alias: string) => `Sent. ${alias} is offline: it waits in the inbox until that agent is back.`,
  sentToUnknown: (alias: string) =>
    `Sent. No agent has reported as ${alias} yet: it waits in the inbox until one does.`,
  open: 'Open',
  needAlias: 'Name the agent.',
  needTask: 'Write what is to be done.',
  tooLong: (most: number) => `At most ${most} characters.`,
};
