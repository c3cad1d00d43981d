// Sending a task.

export const send = {
  act: 'Send a task',
  title: 'Send a task',
  to: 'To',
  toHint: 'The alias of an agent. A task for one that is not here yet waits in its inbox.',
  task: 'Task',
  taskHint: 'What is to be done, and how you will know that it is.',
  priority: 'Priority',
  submit: 'Send',
  sending: 'Sending…',
  cancel: 'Close',
  sent: (alias: string) => `Task sent to ${alias}.`,
  needAlias: 'Name the agent.',
  needTask: 'Write what is to be done.',
  tooLong: (most: number) => `At most ${most} characters.`,
};
