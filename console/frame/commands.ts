// The palette entries that match the typed text: pages, actions, networks, agents and known tasks, best match first;
// then what a search on the hub finds.
import type { TaskRecord } from '../../server/domain/task.ts';
import { chooseNetwork, endSession } from '../account/account.ts';
import type { NamedById } from '../find/found-id.ts';
import { contains, partAround } from '../find/highlight.tsx';
import { openFilter } from '../find/saved/open-filter.ts';
import { savedFilters } from '../find/saved/saved-filters.ts';
import type { Searches } from '../find/searches.ts';
import { chooseLanguage, LANGUAGES, language, words } from '../i18n/language.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { matchesWords } from '../live/listing.ts';
import { agents, mayWrite, networks } from '../live/store.ts';
import { knownTasks } from '../live/task-pool.ts';
import { chatEntriesOf } from '../messages/merge.ts';
import { openSend, SEND_KINDS } from '../messages/open-send.ts';
import { headline } from '../parts/format.ts';
import type { IconName } from '../parts/icon.tsx';
import { agentPath, messagePath, searchPath, taskPath } from '../routes.ts';
import { overlay } from './keyboard.ts';
import { navigable } from './navigation.tsx';
import { pageCommands, rowCommands, steeringCommands } from './page-commands.ts';
import { chooseTheme, THEMES } from './theme.ts';

export type Command = {
  id: string;
  icon: IconName;
  title: string;
  /** The part of a longer text that was found. */
  part?: string | undefined;
  kind: string;
  path?: string;
  run?: () => void;
};

const MAX_PER_KIND = 6;
/** The search of the hub finds more of them. */
const MAX_TASKS = 4;

export function commandsFor(typed: string, route: (path: string) => void): Command[] {
  const text = typed.trim();
  const commands = [...rowCommands(), ...pageCommands(), ...pages(), ...actions(), ...steeringCommands()].filter(
    ({ title }) => matchesWords(text, [title]),
  );
  if (text === '') return commands;
  return [
    ...commands,
    ...agentsNamed(text),
    ...networksNamed(text),
    ...filtersNamed(text, route),
    ...tasksAbout(text),
    ...searchFor(text),
  ];
}

/** The page of a pasted ID. */
export function commandOf({ kind, id, path, title, status }: NamedById): Command {
  const { find, pages: names } = words.value;
  const icons = { task: status ?? 'tasks', message: 'message', network: 'networks' } as const;
  const kindName = names[kind];
  return { id: `id ${id}`, icon: icons[kind], title: title ?? find.open(kindName, id), kind: kindName, path };
}

/** What the hub has found beyond the other entries. It comes after them, so that no entry moves. */
export function commandsFound(text: string, { tasks, messages }: Searches, others: readonly Command[]): Command[] {
  const shown = new Set(others.map(({ id }) => id));
  const found = [
    ...tasks.rows.value.map((task) => taskCommand(task, text)),
    ...chatEntriesOf(messages.rows.value).map(({ message }) => messageCommand(message, text)),
  ];
  return found.filter(({ id }) => !shown.has(id));
}

function pages(): Command[] {
  const { pages: names, palette } = words.value;
  return navigable().map(({ name, path, icon = 'arrow' }) => ({
    id: `page ${name}`,
    icon,
    title: names[name],
    kind: palette.page,
    path,
  }));
}

function actions(): Command[] {
  const { palette, send, frame } = words.value;
  const action = (id: string, icon: IconName, title: string, run: () => void): Command => ({
    id,
    icon,
    title,
    kind: palette.action,
    run,
  });
  const other = language.value === 'en' ? 'zh-CN' : 'en';
  return [
    ...(mayWrite.value
      ? SEND_KINDS.map((kind) =>
          action(`send ${kind}`, kind === 'task' ? 'send' : 'message', send.title[kind], () => openSend('', kind)),
        )
      : []),
    ...THEMES.map((name) =>
      action(`theme ${name}`, 'eye', words.value.labelled(frame.theme, frame.themes[name]), () => chooseTheme(name)),
    ),
    action('language', 'message', LANGUAGES[other], () => void chooseLanguage(other)),
    action('help', 'help', words.value.help.title, () => (overlay.value = 'help')),
    action('sign-out', 'person', frame.signOut, () => endSession('signedOut')),
  ];
}

function agentsNamed(text: string): Command[] {
  const isNamed = ({ alias, resume_id }: Agent) => resume_id === text || matchesWords(text, [alias]);
  const found = agents.value?.filter(isNamed).slice(0, MAX_PER_KIND) ?? [];
  return found.map(({ alias }) => ({
    id: `agent ${alias}`,
    icon: 'agents',
    title: alias,
    kind: words.value.pages.agent,
    path: agentPath(alias),
  }));
}

function networksNamed(text: string): Command[] {
  const kind = words.value.frame.network;
  return networks.value
    .filter(({ network_name }) => matchesWords(text, [network_name]))
    .map(({ network_id, network_name }) => ({
      id: `network ${network_id}`,
      icon: 'networks',
      title: network_name,
      kind,
      run: () => chooseNetwork(network_id),
    }));
}

function filtersNamed(text: string, route: (path: string) => void): Command[] {
  const kind = words.value.find.savedFilter;
  return savedFilters()
    .filter(({ name }) => matchesWords(text, [name, kind]))
    .slice(0, MAX_PER_KIND)
    .map((saved) => ({
      id: `filter ${saved.page} ${saved.name}`,
      icon: 'filter',
      title: saved.name,
      kind: `${kind} · ${words.value.pages[saved.page]}`,
      run: () => openFilter(saved, route),
    }));
}

function tasksAbout(text: string): Command[] {
  const isAbout = (task: TaskRecord) => task.task_id === text || matchesWords(text, [task.content]);
  return knownTasks(isAbout, MAX_TASKS).map((task) => taskCommand(task, text));
}

function taskCommand({ task_id, content, result, status }: TaskRecord, text: string): Command {
  const title = headline(content);
  return {
    id: `task ${task_id}`,
    icon: status,
    title,
    part: contains(title, text) ? undefined : partAround(`${content}\n${result ?? ''}`, text),
    kind: words.value.taskStatus[status],
    path: taskPath(task_id),
  };
}

function messageCommand({ id, content, from_session }: MessageRecord, text: string): Command {
  return {
    id: `message ${id}`,
    icon: 'message',
    title: partAround(content, text) ?? headline(content),
    kind: from_session,
    path: messagePath(id),
  };
}

function searchFor(text: string): Command[] {
  const { palette } = words.value;
  return [
    { id: 'search', icon: 'search', title: palette.searchAll(text), kind: palette.action, path: searchPath(text) },
  ];
}
