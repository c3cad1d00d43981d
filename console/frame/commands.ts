// The palette entries that match the typed text: pages, actions, networks, agents and tasks, best match first.
import { chooseNetwork, endSession } from '../account/account.ts';
import { chooseLanguage, LANGUAGES, language, words } from '../i18n/language.ts';
import { matchesWords } from '../live/listing.ts';
import { agents, mayWrite, networks } from '../live/store.ts';
import { knownTasks } from '../live/task-pool.ts';
import { openSend, SEND_KINDS } from '../messages/open-send.ts';
import { headline } from '../parts/format.ts';
import type { IconName } from '../parts/icon.tsx';
import { agentPath, taskPath, tasksPath } from '../routes.ts';
import { overlay } from './keyboard.ts';
import { navigable } from './navigation.tsx';
import { pageCommands, steeringCommands } from './page-commands.ts';
import { chooseTheme, THEMES } from './theme.ts';

export type Command = { id: string; icon: IconName; title: string; kind: string; path?: string; run?: () => void };

const MAX_PER_KIND = 6;

export function commandsFor(typed: string): Command[] {
  const text = typed.trim();
  const commands = [...pageCommands(), ...pages(), ...actions(), ...steeringCommands()].filter(({ title }) =>
    matchesWords(text, [title]),
  );
  if (text === '') return commands;
  return [...commands, ...agentsNamed(text), ...networksNamed(text), ...tasksAbout(text), ...searchFor(text)];
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
  const found = agents.value?.filter(({ alias }) => matchesWords(text, [alias])).slice(0, MAX_PER_KIND) ?? [];
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

function tasksAbout(text: string): Command[] {
  const kind = words.value.pages.task;
  return knownTasks((task) => task.task_id === text || matchesWords(text, [task.content]), MAX_PER_KIND).map(
    ({ task_id, content, status }) => ({
      id: `task ${task_id}`,
      icon: status,
      title: headline(content),
      kind,
      path: taskPath(task_id),
    }),
  );
}

function searchFor(text: string): Command[] {
  const { palette } = words.value;
  return [
    { id: 'search', icon: 'search', title: palette.searchTasks(text), kind: palette.action, path: tasksPath({ text }) },
  ];
}
