// Texts shared by all pages: navigation, command palette, keyboard shortcuts and connection state.

/** Page names by the keys of routes.ts, used in the navigation, the palette and the tab title. */
export const pages = {
  overview: 'Overview',
  agents: 'Agents',
  agent: 'Agent',
  tasks: 'Tasks',
  task: 'Task',
  messages: 'Messages',
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
  crumbs: 'Breadcrumb',
  pages: 'Pages',
  more: 'More',
  find: 'Search or run a command…',
  menu: 'Account and settings',
  signedInAs: 'Signed in as',
  network: 'Network',
  connect: 'Connect an agent',
  signOut: 'Sign out',
  theme: 'Theme',
  themes: { auto: 'System', light: 'Light', dark: 'Dark' },
  language: 'Language',
  brokenTitle: 'Something went wrong on this page',
  brokenText: 'Reload the page. No data on the hub is lost.',
  reload: 'Reload',
  missingTitle: 'Page not found',
  missingText: 'Check the address. It may be mistyped or belong to a newer version of the hub.',
  toOverview: 'Go to overview',
  unloadableTitle: 'Could not load this page',
  unloadableText: 'The hub is not responding or has been updated. Reload to get the current version.',
};

export const palette = {
  title: 'Command palette',
  placeholder: 'Search pages, agents, tasks and actions',
  escape: 'Esc',
  none: 'No results.',
  page: 'Page',
  act: 'Action',
  searchTasks: (text: string) => `Search all tasks for “${text}”`,
};

export const help = {
  title: 'Keyboard shortcuts',
  everywhere: 'Everywhere',
  go: 'Go to',
  lists: 'In lists',
  palette: 'Open the command palette',
  search: 'Search this page',
  send: 'Send a task',
  close: 'Close or leave the field',
  move: 'Next or previous row',
  tick: 'Select the row',
  open: 'Open the row',
};

export const live = {
  title: 'Connection',
  state: { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' },
  lost: 'Connection to the hub lost.',
  asOf: (time: string) => `Showing data from ${time}.`,
  nextTry: (seconds: number) => (seconds > 0 ? `Retrying in ${seconds} s.` : 'Retrying…'),
  tryNow: 'Retry now',
  failed: 'Could not load agents and tasks.',
  listFailed: 'Could not load this list.',
  tryAgain: 'Try again',
};

export const copy = { act: 'Copy', done: 'Copied', failed: 'Press Ctrl+C', what: (what: string) => `Copy: ${what}` };
