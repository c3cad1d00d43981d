// Texts of the search, saved filters and exports.

export const find = {
  field: 'Search tasks, results, messages and agents, or paste an id',
  tasks: 'Tasks and results',
  messages: 'Messages',
  agents: 'Agents',
  open: (kind: string, id: string) => `Open ${kind.toLowerCase()} ${id}`,
  noId: 'Nothing in this network has this id.',
  running: 'Searching…',
  found: {
    running: (n: string) => `${n} so far, searching…`,
    cut: (n: string) => `${n}, there may be more`,
    whole: (n: string) => n,
  },
  more: 'Search for more',
  none: 'Nothing found.',
  filterTasks: 'Filter in Tasks',
  startTitle: 'Search this network',
  startText: 'Words are found in tasks, their results, messages and agents. An id opens its page.',
  conversation: 'Open conversation',
  noMessage: 'Message not found',
  noMessageText: 'It may have been deleted, or it belongs to another network.',
};
