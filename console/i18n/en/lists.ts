// What lists of every kind share.
import { count } from './count.ts';

/** Filters of the lists. */
export const filters = {
  label: 'Filters',
  search: 'Search',
  searchTasks: 'Search in tasks and results',
  searchAgents: 'Search by name, work, model or host',
  status: 'Status',
  server: 'Server',
  anyServer: 'Any server',
  to: 'To',
  from: 'From',
  anybody: 'Anybody',
  priority: 'Priority',
  anyPriority: 'Any priority',
  age: 'Sent',
  anyAge: 'At any time',
  ages: {
    'under-1h': 'In the last hour',
    'under-1d': 'In the last day',
    'under-7d': 'In the last 7 days',
    'over-1h': 'Over an hour ago',
    'over-1d': 'Over a day ago',
  },
  clear: 'Clear filters',
  noneTitle: 'Nothing matches these filters',
  noneText: 'Loosen one of them, or clear them all.',
  shown: (shown: number, all: number) => `${shown} of ${all}`,
  matching: (n: number, shown: string) => `${shown} ${n === 1 ? 'task matches' : 'tasks match'}`,
  arrived: (n: number) => count(n, 'new task', 'new tasks'),
};

export const sheet = {
  more: 'Show more',
  never: 'never',
  act: 'Actions',
  you: 'you',
  close: 'Close',
  keep: 'Keep',
  save: 'Save',
  saved: 'Saved.',
};

export const role = { owner: 'Owner', member: 'Member', viewer: 'Viewer' };
