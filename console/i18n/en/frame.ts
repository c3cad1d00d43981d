// What stands around every page: navigation, palette, keys, the state of the connection.

/** The name of each page, as in routes.ts: in the navigation, the palette and the title of the tab. */
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
  skip: 'Skip to the content',
  home: 'agenthub, overview',
  crumbs: 'Where you are',
  pages: 'Pages',
  more: 'More',
  find: 'Find or do…',
  menu: 'Account and settings',
  signedInAs: 'Signed in as',
  network: 'Network',
  connect: 'Connect an agent',
  signOut: 'Sign out',
  theme: 'Theme',
  themes: { auto: 'Automatic', light: 'Light', dark: 'Dark' },
  language: 'Language',
  brokenTitle: 'This page stopped working',
  brokenText: 'Reload it. Nothing on the hub is lost.',
  reload: 'Reload',
  missingTitle: 'There is no such page',
  missingText: 'The address may be mistyped, or come from a newer version of the hub.',
  toOverview: 'To the overview',
  unloadableTitle: 'This page could not be fetched',
  unloadableText: 'The hub does not answer, or it has been updated. Reload to get the page it has now.',
};

export const palette = {
  title: 'Find or do',
  placeholder: 'Page, agent, task, or what to do',
  escape: 'Esc',
  none: 'Nothing found.',
  page: 'Page',
  act: 'Do',
  searchTasks: (text: string) => `Search all tasks for “${text}”`,
};

export const help = {
  title: 'Keys',
  everywhere: 'Everywhere',
  go: 'Go to',
  lists: 'In lists',
  palette: 'Find or do anything',
  search: 'Search this page',
  send: 'Send a task',
  close: 'Close, or leave the field',
  move: 'Next, previous row',
  tick: 'Select the row',
  open: 'Open the row',
};

export const live = {
  title: 'Connection',
  state: { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' },
  lost: 'The connection to the hub is lost.',
  asOf: (time: string) => `What you see is from ${time}.`,
  nextTry: (seconds: number) => (seconds > 0 ? `Next try in ${seconds} s.` : 'Trying now.'),
  tryNow: 'Try now',
  failed: 'The hub did not answer with its agents and tasks.',
  listFailed: 'The hub did not answer with this list.',
  tryAgain: 'Try again',
};

export const copy = { act: 'Copy', done: 'Copied', failed: 'Press Ctrl+C', what: (what: string) => `Copy: ${what}` };
