// The route table: one row per page with its address, module and navigation entry. To add a page, add a row here, a
// module with a default export in the folder of its noun, a line in `pages.ts`, and its name under `pages` in both
// languages of i18n/. The navigation, palette, keyboard shortcuts and screenshots read this table. Pages take no props:
// parameters and query come from `useRoute` and `useLocation`, so that the address holds the full state of a page.
import type { ComponentChildren } from 'preact';
import type { Words } from './i18n/en.ts';
import { withQuery } from './live/request.ts';
import type { IconName } from './parts/icon.tsx';

export type PageName = keyof Words['pages'];

export type RouteRow = {
  name: PageName;
  path: string;
  /** Undefined for the first page, which `app.tsx` loads with everything it needs. */
  page?: () => Promise<{ default: () => ComponentChildren }>;
  /** Where the navigation shows the page: `undefined` hides it. */
  nav?: 'main' | 'more';
  icon?: IconName;
  /** The letter that opens the page after `g`. */
  key?: string;
  /** The navigation entry that this page belongs to. */
  under?: PageName;
  /** Only these users see the entry. The hub enforces the permission. */
  only?: 'admin';
};

const other = (name: keyof typeof import('./pages.ts').pages) => async () => ({
  default: (await import('./pages.ts')).pages[name],
});

export const ROUTES: readonly RouteRow[] = [
  {
    name: 'overview',
    path: '/',
    nav: 'main',
    icon: 'overview',
    key: 'o',
  },
  {
    name: 'agents',
    path: '/agents',
    page: other('agents'),
    nav: 'main',
    icon: 'agents',
    key: 'a',
  },
  { name: 'agent', path: '/agents/:alias', page: other('agent'), under: 'agents' },
  { name: 'tasks', path: '/tasks', page: other('tasks'), nav: 'main', icon: 'tasks', key: 't' },
  { name: 'task', path: '/tasks/:task_id', page: other('task'), under: 'tasks' },
  {
    name: 'messages',
    path: '/messages',
    page: other('messages'),
    nav: 'main',
    icon: 'message',
    key: 'm',
  },
  { name: 'message', path: '/messages/:message_id', page: other('message'), under: 'messages' },
  { name: 'search', path: '/search', page: other('search'), nav: 'more', icon: 'search', key: 'f' },
  { name: 'sequence', path: '/sequence', page: other('sequence'), nav: 'more', icon: 'sequence', key: 'q' },
  {
    name: 'networks',
    path: '/networks',
    page: other('networks'),
    nav: 'more',
    icon: 'networks',
    key: 'n',
  },
  {
    name: 'network',
    path: '/networks/:network_id',
    page: other('network'),
    under: 'networks',
  },
  {
    name: 'tokens',
    path: '/tokens',
    page: other('tokens'),
    nav: 'more',
    icon: 'tokens',
    key: 'k',
  },
  {
    name: 'connect',
    path: '/connect',
    page: other('connect'),
    nav: 'more',
    icon: 'plus',
    key: 'c',
  },
  {
    name: 'profile',
    path: '/profile',
    page: other('profile'),
    nav: 'more',
    icon: 'person',
    key: 'p',
  },
  {
    name: 'admin',
    path: '/admin',
    page: other('admin'),
    nav: 'more',
    icon: 'admin',
    key: 's',
    only: 'admin',
  },
];

/** Addresses used in code. Lists take their filters as a query; see `tasksPath` and `agentsPath`. */
export const PATHS = {
  overview: '/',
  agents: '/agents',
  tasks: '/tasks',
  messages: '/messages',
  search: '/search',
  sequence: '/sequence',
  networks: '/networks',
  tokens: '/tokens',
  connect: '/connect',
  profile: '/profile',
  admin: '/admin',
  signIn: '/sign-in',
  signUp: '/sign-up',
} as const;

type Filter = Record<string, string | undefined>;

export const agentsPath = (filter: Filter = {}): string => withQuery(PATHS.agents, filter);
export const tasksPath = (filter: Filter = {}): string => withQuery(PATHS.tasks, filter);
export const agentPath = (alias: string): string => `${PATHS.agents}/${segmentOf(alias)}`;
export const taskPath = (task_id: string): string => `${PATHS.tasks}/${encodeURIComponent(task_id)}`;
export const messagePath = (message_id: string): string => `${PATHS.messages}/${encodeURIComponent(message_id)}`;
export const searchPath = (text: string): string => withQuery(PATHS.search, { text });
/** The messages of one agent, or between two. */
export const conversationPath = (of: string, other: string | undefined): string =>
  withQuery(PATHS.messages, { of, with: other });

/** Aliases may contain commas, so each is encoded. */
export const aliasList = (aliases: readonly string[]): string | undefined =>
  aliases.length === 0 ? undefined : aliases.map(encodeURIComponent).join(',');
export const sequencePath = (aliases: readonly string[]): string =>
  withQuery(PATHS.sequence, { agents: aliasList(aliases) });
export const networkPath = (network_id: string): string => `${PATHS.networks}/${encodeURIComponent(network_id)}`;

// Browsers treat `.` and `..` as path steps in any encoding, so such aliases, and aliases that look like their escaped
// form, are escaped.
const IS_STEP = /^~*\.{1,2}$/;

function segmentOf(alias: string): string {
  return IS_STEP.test(alias) ? `~${alias}` : encodeURIComponent(alias);
}

/** The alias in a path segment. */
export function aliasIn(segment: string): string {
  return IS_STEP.test(segment) ? segment.slice(1) : segment;
}

/** The sign-in page with the page to return to. */
export function signInPath(path: string, from: string | undefined): string {
  return withQuery(path, { next: from === PATHS.overview ? undefined : from });
}

/** The page to open after sign-in. Only paths of this console are accepted. */
export function nextPath(wanted: string | undefined): string {
  return wanted !== undefined && /^\/(?![/\\])/.test(wanted) ? wanted : PATHS.overview;
}
