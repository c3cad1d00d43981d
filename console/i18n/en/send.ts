// Texts of the send dialog.

export const send = {
  title: { task: 'Send a task', message: 'Send a message', broadcast: 'Send to all agents' },
  to: 'To',
  toHint: 'The alias of an agent. If the agent is not connected yet, the content waits in its inbox.',
  taskHint: 'What to do, and how to tell that it is done.',
  submit: 'Send',
  sending: 'Sending…',
  sent: (alias: string) => `Sent to ${alias}.`,
  sentToOffline: (alias: string) => `Sent. ${alias} is offline. The content waits in its inbox.`,
  sentToUnknown: (alias: string) => `Sent. No agent has reported as ${alias} yet. The content waits in its inbox.`,
  open: 'Open',
  needAlias: 'Enter an agent alias.',
  needTask: 'Describe what to do.',
};
