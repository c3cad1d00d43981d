// Texts shared by all lists.
import { count } from './count.ts';

export const filters = {
  label: 'Filters',
  searchTasks: 'Search tasks and results',
  searchAgents: 'Search by name, task, model or host',
  server: 'Server',
  anyServer: 'Any server',
  to: 'To',
  from: 'From',
  anyone: 'Anyone',
  priority: 'Priority',
  anyPriority: 'Any priority',
  age: 'Sent',
  anyAge: 'Any time',
  ages: {
    'under-1h': 'Last hour',
    'under-1d': 'Last day',
    'under-7d': 'Last 7 days',
    'over-1h': 'Over an hour ago',
    'over-1d': 'Over a day ago',
  },
  clear: 'Clear filters',
  noResultsTitle: 'No results for these filters',
  noResultsText: 'Change a filter or clear them all.',
  shown: (shown: number, all: number) => `${shown} of ${all}`,
  matching: (n: number, shown: string) => `${shown} ${n === 1 ? 'task matches' : 'tasks match'}`,
  newTasks: (n: number) => count(n, 'new task', 'new tasks'),
};

export const common = {
  showMore: 'Show more',
  never: 'never',
  actions: 'Actions',
  you: 'you',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved.',
};

export const role = { owner: 'Owner', member: 'Member', viewer: 'Viewer' };
