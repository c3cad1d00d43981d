// Texts of the send dialog.

export const send = {
  title: { task: 'Send a task', message: 'Send a message', broadcast: 'Send to all online agents' },
  to: 'To',
  toHint: 'The alias of an agent. Anything you send to an offline agent waits in its inbox.',
  unknownAlias: 'No agent has this name yet.',
  taskHint: 'What to do, and how to tell when it is done.',
  submit: 'Send',
  sending: ({ done, all }: { done: number; all: number }) => (all > 1 ? `Sending ${done + 1} of ${all}…` : 'Sending…'),
  discard: 'Discard draft',
  addRecipient: 'Add',
  addIdle: (n: number) => `Add ${n} idle agents`,
  recipients: 'Recipients',
  removeRecipient: (alias: string) => `Remove ${alias}`,
  eachHint: (n: number) =>
    `Each of the ${n} agents gets its own copy. A broadcast is one message to all online agents and starts no work.`,
  sentToSeveral: (n: number, waiting: string) =>
    `Sent to ${n} agents.${waiting === '' ? '' : ` Not online: ${waiting}.`}`,
  notSent: (n: number, all: number) => `Not sent to ${n} of ${all} agents. Send again to retry.`,
  needValue: (name: string) => `Enter a value for “${name}”.`,
  sent: (alias: string) => `Sent to ${alias}.`,
  sentToOffline: (alias: string) => `Sent to the inbox of ${alias}, which is offline.`,
  sentToUnknown: (alias: string) => `Sent to the inbox of ${alias}. No agent has reported as ${alias} yet.`,
  open: 'Open',
  needAlias: 'Enter an agent alias.',
  needTask: 'Describe what to do.',
};

export const templates = {
  label: 'Template',
  none: 'No template',
  save: 'Save as template',
  edit: 'Edit template',
  name: 'Template name',
  hint: 'Names in double braces, such as {{branch}}, become fields. Templates are saved only in this browser.',
  replaces: 'Replaces the existing template with the text below.',
  saveNew: 'Save template',
  saveChanges: 'Save changes',
  delete: 'Delete template',
  needText: 'Enter the text below first.',
  replaced: 'The template replaced your text.',
  undo: 'Restore my text',
  values: 'Values for the template',
  use: (name: string) => `Use template: ${name}`,
};
