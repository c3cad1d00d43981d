// Texts of the views of all agents together: the sequence of messages, what a task led to, and figures.

export const sequence = {
  lanes: 'Agents and people',
  others: 'Others',
  addAgent: 'Add an agent',
  removeAgent: (alias: string) => `Remove ${alias}`,
  anyKind: 'All types',
  view: 'View',
  views: { diagram: 'Diagram', list: 'List' },
};

export const gantt = {
  title: 'What it led to',
  note: 'agenthub does not record which task caused another. These are the tasks that an agent sent while it ran the one above; some may belong to other work.',
  alone: 'No other task was sent by its agent while it ran.',
  cut: 'There are more tasks than are shown.',
  times: (waited: string, ran: string) => `waited ${waited}, ran ${ran}`,
};

export const figures = {
  title: 'Figures',
  spans: { hour: 'Last hour', day: 'Last day', week: 'Last week' },
  queueAge: 'Longest wait now',
  empty: 'None',
  timeToStart: 'Time to start, median',
  timeToSettle: 'Time to settle, median',
  p95: (time: string) => `95 % within ${time}`,
  failureRate: 'Failure rate',
  failures: (failed: string, all: string) => `${failed} of ${all} failed or expired`,
  throughput: 'Settled per hour',
  note: (time: string) => `Since ${time}, without cancelled tasks. Times are estimates, less than a factor of 1.5 off.`,
};
