// Texts shared by all pages: navigation, command palette, keyboard shortcuts and connection state.

/** Page names by the keys of routes.ts, used in the navigation, the palette and the tab title. */
export const pages = {
  overview: 'Overview',
  agents: 'Agents',
  agent: 'Agent',
  tasks: 'Tasks',
  task: 'Task',
  messages: 'Messages',
  message: 'Message',
  search: 'Search',
  sequence: 'Sequence',
  networks: 'Networks',
  network: 'Network',
  tokens: 'Tokens',
  connect: 'Connect',
  profile: 'Profile',
  admin: 'Administration',
};

export const frame = {
  product: 'agenthub',
  skip: 'Skip to content',
  home: 'agenthub, overview',
  breadcrumb: 'Breadcrumb',
  pages: 'Pages',
  more: 'More',
  morePages: 'More pages',
  search: 'Search or run a command…',
  noAct: (key: string, keys: string) => `No action for “${key}” here. Keys of this row: ${keys}.`,
  accountMenu: 'Account and settings',
  signedInAs: 'Signed in as',
  network: 'Network',
  connect: 'Connect an agent',
  signOut: 'Sign out',
  theme: 'Theme',
  themes: { auto: 'System', light: 'Light', dark: 'Dark' },
  language: 'Language',
  crashTitle: 'Something went wrong on this page',
  crashText: 'Reload the page. No data was lost.',
  reload: 'Reload',
  notFoundTitle: 'Page not found',
  notFoundText: 'Check the address. It may belong to a newer version of the hub.',
  toOverview: 'Go to overview',
  loadFailedTitle: 'Could not load this page',
  loadFailedText: 'The hub is not responding or has been updated. Reload to get the current version.',
};

export const palette = {
  thisPage: 'This page',
  thisRow: 'This row',
  title: 'Command palette',
  placeholder: 'Search everything, paste an ID, or run a command',
  escape: 'Esc',
  page: 'Page',
  action: 'Action',
  searchAll: (text: string) => `Search everything for “${text}”`,
};

export const help = {
  title: 'Keyboard shortcuts',
  allPages: 'Everywhere',
  goTo: 'Go to',
  lists: 'In lists',
  palette: 'Open the command palette',
  search: 'Search this page',
  send: 'Send a task, message or broadcast',
  close: 'Close a dialog, leave a field or clear the selection',
  move: 'Next or previous row',
  select: 'Select the row',
  extend: 'Extend the selection (Shift)',
  open: 'Open the row',
};

export const live = {
  title: 'Connection',
  state: { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' },
  disconnected: 'Connection to the hub lost.',
  asOf: (time: string) => `Showing data from ${time}.`,
  nextRetry: (seconds: number) => (seconds > 0 ? `Retrying in ${seconds} s.` : 'Retrying…'),
  retryNow: 'Retry now',
  failed: 'Could not load agents and tasks.',
  listFailed: 'Could not load this list.',
  retry: 'Retry',
};

export const copy = {
  ready: 'Copy',
  done: 'Copied',
  failed: 'Press Ctrl+C',
  copyNamed: (what: string) => `Copy: ${what}`,
};
