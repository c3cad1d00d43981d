// The dialog that lists all keyboard shortcuts.
import { words } from '../i18n/language.ts';
import { NEED_ACT_KEYS } from '../needs-you/need.ts';
import { Dialog } from '../parts/dialog.tsx';
import { overlay } from './keyboard.ts';
import { navigable } from './navigation.tsx';

export function Help() {
  const { help, pages } = words.value;
  const leads = navigable().flatMap(({ name, key }) =>
    key === undefined ? [] : [{ keys: ['g', key], what: pages[name] }],
  );
  return (
    <Dialog title={help.title} onClose={() => (overlay.value = null)}>
      <div class="help">
        <Sheet title={help.allPages} rows={everywhere()} />
        <Sheet title={help.lists} rows={inLists()} />
        <Sheet title={words.value.needsYou.keys} rows={needActs()} />
        <Sheet title={help.goTo} rows={leads} />
      </div>
    </Dialog>
  );
}

type Row = { keys: readonly string[]; what: string };

function everywhere(): Row[] {
  const { help } = words.value;
  const command = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';
  return [
    { keys: [command, 'K'], what: help.palette },
    { keys: ['/'], what: help.search },
    { keys: ['n'], what: help.send },
    { keys: ['?'], what: help.title },
    { keys: ['Esc'], what: help.close },
  ];
}

function inLists(): Row[] {
  const { help } = words.value;
  return [
    { keys: ['j', 'k'], what: help.move },
    { keys: ['x'], what: help.select },
    { keys: ['J', 'K'], what: help.extend },
    { keys: ['Enter'], what: help.open },
  ];
}

function needActs(): Row[] {
  const { act } = words.value.needsYou;
  const { answer, retry, reassign, cancel, dismiss } = NEED_ACT_KEYS;
  return [
    { keys: [answer], what: act.answer },
    { keys: [retry], what: act.retry },
    { keys: [reassign], what: act.reassign },
    { keys: [cancel], what: act.cancel },
    { keys: [dismiss], what: act.dismiss },
  ];
}

function Sheet({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    <section class="help-group">
      <h3>{title}</h3>
      <dl>
        {rows.map(({ keys, what }) => (
          <div key={what} class="help-row">
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
