// Texts of the views of the whole fleet: the sequence of messages.

export const sequence = {
  title: 'Sequence',
  list: 'Messages, oldest first',
  lanes: 'Agents and people',
  others: 'Others',
  addAgent: 'Add an agent',
  removeAgent: (alias: string) => `Remove ${alias}`,
  anyKind: 'All types',
  span: 'Time range',
  anyTime: 'Any time',
  spans: { hour: 'Last hour', day: 'Last 24 hours', week: 'Last 7 days' },
  view: 'View',
  views: { diagram: 'Diagram', list: 'List' },
};

export const gantt = {
  title: 'What it led to',
  sequence: 'Sequence',
  note: 'agenthub does not record which task caused another. Shown are the tasks that an agent sent while it was running the one above; some may belong to other work.',
  alone: 'No other task was sent by its agent while it ran.',
  cut: 'There are more tasks than are shown.',
  times: (waited: string, ran: string) => `waited ${waited}, ran ${ran}`,
};
