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
