// Texts for answering, which settles nothing, and for settling a task.

export const answer = {
  act: 'Answer',
  open: 'Answer…',
  title: (alias: string) => `Answer ${alias}`,
  label: 'Your answer',
  taskHint: 'The task goes on. To end it, use “Settle…”.',
  need: 'Enter an answer.',
  submit: 'Send answer',
  lastActive: (time: string) => `Last active ${time} ago.`,
  sees: (alias: string) => `${alias} sees your answer the next time it reads its inbox.`,
  seesIdle: (alias: string) =>
    `If ${alias} is waiting on its inbox, it gets your answer at once, otherwise the next time it reads it.`,
  waits: (alias: string) => `Your answer waits in the inbox of ${alias}.`,
};

export const settle = {
  act: 'Settle',
  open: 'Settle…',
  title: 'Settle this task',
  hint: (sender: string) => `This ends the task. The result goes to its sender, ${sender}.`,
  label: 'Result',
  choice: 'The task',
  goesOn: 'Answer, the task goes on',
  outcome: 'Outcome',
  need: 'Enter a result.',
  submit: 'Settle task',
  done: 'Task settled.',
};
