// Texts for answering, which settles nothing, and for settling a task.

export const answer = {
  act: 'Answer',
  open: 'Answer…',
  title: (alias: string) => `Answer ${alias}`,
  label: 'Your answer',
  taskHint: 'The task continues.',
  taskEnded: 'The task has ended. Its agent gets this as a message.',
  need: 'Enter an answer.',
  message: {
    title: (alias: string) => `Message ${alias}`,
    label: 'Your message',
    need: 'Enter a message.',
    submit: 'Send message',
  },
  meanwhile: 'This message has been answered or marked as read meanwhile.',
  submit: 'Send answer',
  moved: (alias: string, said: string) =>
    `${alias} has gone on since you opened this${said === '' ? '' : `, and says “${said}”`}. Send it anyway?`,
  lastActive: (time: string) => `Last active ${time} ago.`,
  sees: (alias: string) => `${alias} sees your message the next time it reads its inbox.`,
  seesIdle: (alias: string) =>
    `If ${alias} is waiting for mail, it gets your message at once. Otherwise, it gets it the next time it reads its inbox.`,
  waits: (alias: string) => `Your message will wait in the inbox of ${alias}.`,
};

export const settle = {
  act: 'Settle',
  open: 'Settle…',
  title: 'Settle this task',
  hint: (sender: string) => `This ends the task. The result goes to its sender, ${sender}.`,
  label: 'Result',
  choice: 'What happens to the task',
  goesOn: 'Answer, and let the task continue',
  outcome: 'Outcome',
  need: 'Enter a result.',
  submit: 'Settle task',
  done: 'Task settled.',
};
