// Texts of the send dialog.

export const send = {
  title: { task: 'Send a task', message: 'Send a message', broadcast: 'Send to all online agents' },
  to: 'To',
  toHint: 'The alias of an agent. Anything you send to an offline agent waits in its inbox.',
  taskHint: 'What to do, and how to tell when it is done.',
  submit: 'Send',
  sending: 'Sending…',
  sent: (alias: string) => `Sent to ${alias}.`,
  sentToOffline: (alias: string) => `Sent to the inbox of ${alias}, which is offline.`,
  sentToUnknown: (alias: string) => `Sent to the inbox of ${alias}. No agent has reported as ${alias} yet.`,
  open: 'Open',
  needAlias: 'Enter an agent alias.',
  needTask: 'Describe what to do.',
};
