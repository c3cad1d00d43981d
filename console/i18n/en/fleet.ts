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
  note: 'Below each task are those that its agent sent while running it; some may be unrelated.',
  alone: 'The agent sent no other tasks while it ran this one.',
  cut: 'Not all tasks are shown.',
  times: (waited: string, ran?: string) => `waited ${waited}${ran === undefined ? '' : `, ran ${ran}`}`,
};

export const figures = {
  title: 'Figures',
  spans: { hour: 'Last hour', day: 'Last day', week: 'Last week' },
  queueAge: 'Longest wait now',
  empty: 'None',
  timeToStart: 'Median time to start',
  timeToSettle: 'Median time to settle',
  p95: (time: string) => `95% within ${time}`,
  slowest: (time: string) => `95%: ${time}`,
  failureRate: 'Failure rate',
  failures: (failed: string, all: string) => `${failed} of ${all} failed or expired`,
  of: (failed: string, all: string) => `${failed} of ${all}`,
  throughput: 'Settled per hour',
  note: (since: string, until: string) =>
    `Counted by quarters of an hour: since ${since}, until ${until}. Cancelled tasks are not included. Times are accurate to within a factor of 1.5.`,
};
