// The palette entries that depend on the open page and the user's data: the actions of the page, templates, inviting
// people and the demo.
import { demoNetwork } from '../demo/demo-network.ts';
import { words } from '../i18n/language.ts';
import { errorText } from '../live/error-texts.ts';
import { mayWrite, network } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { networkPath } from '../routes.ts';
import { listTemplates } from '../templates/templates.ts';
import type { Command } from './commands.ts';
import { actsOfRow } from './keyboard.ts';
import { showToast } from './toast.ts';

/** The actions of the row that had the focus. */
export function rowCommands(): Command[] {
  return actsOfRow().map((act, at) => ({
    id: `row ${at}`,
    icon: 'arrow',
    title: act.ariaLabel ?? act.textContent,
    kind: words.value.palette.thisRow,
    run: () => act.click(),
  }));
}

/** The actions of the page are its buttons and links with `data-command`. */
export function pageCommands(): Command[] {
  const acts = [...document.querySelectorAll<HTMLElement>('main [data-command]')];
  return acts.map((act, at) => ({
    id: `act ${at}`,
    icon: 'arrow',
    title: act.dataset['commandTitle'] ?? act.textContent,
    kind: words.value.palette.thisPage,
    run: () => act.click(),
  }));
}

export function steeringCommands(): Command[] {
  const { palette, templates, network: texts, demo } = words.value;
  const own = network.value;
  const kind = palette.action;
  const uses = mayWrite.value
    ? listTemplates().map(({ name }) => ({
        id: `template ${name}`,
        icon: 'send' as const,
        title: templates.use(name),
        kind,
        run: () => openSend('', 'task', name),
      }))
    : [];
  const invite: Command[] =
    own?.member_role === 'owner'
      ? [
          {
            id: 'invite',
            icon: 'person',
            title: texts.inviteTitle,
            kind,
            path: `${networkPath(own.network_id)}?dialog=invite`,
          },
        ]
      : [];
  const demoCommand: Command =
    demoNetwork.value === undefined
      ? { id: 'demo', icon: 'eye', title: demo.start, kind, run: () => void runDemo('startDemo', demo.started) }
      : { id: 'demo', icon: 'eye', title: demo.remove, kind, run: () => void runDemo('removeDemo', demo.removed) };
  return [...uses, ...invite, demoCommand];
}

async function runDemo(act: 'startDemo' | 'removeDemo', done: string): Promise<void> {
  try {
    const others = await (await import('../pages.ts'))[act]();
    showToast(others ? { text: words.value.demo.otherAgentsOnline(others), tone: 'warning' } : { text: done });
  } catch (error) {
    showToast({ text: errorText(error), tone: 'warning' });
  }
}
