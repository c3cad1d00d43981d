// The command palette: finds pages, agents, tasks and actions by a few letters.
import { useComputed, useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { words } from '../i18n/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Command, commandsFor } from './commands.ts';
import { overlay } from './keyboard.ts';

export function Palette() {
  return (
    <Dialog title={words.value.palette.title} kind="palette" hideTitle onClose={close}>
      <PaletteSearch />
    </Dialog>
  );
}

function close(): void {
  if (overlay.value === 'palette') overlay.value = null;
}

function PaletteSearch() {
  const { palette } = words.value;
  const { route } = useLocation();
  const typed = useSignal('');
  const chosen = useSignal(0);
  const found = useComputed(() => commandsFor(typed.value));
  const at = Math.min(chosen.value, found.value.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    if (command.path !== undefined) route(command.path);
    command.run?.();
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step === undefined) run(found.value[at]);
    else chosen.value = (at + step + found.value.length) % Math.max(1, found.value.length);
  };
  const type = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    typed.value = currentTarget.value;
    chosen.value = 0;
  };
  return (
    <>
      <div class="palette-field">
        <Icon name="search" />
        <input
          class="palette-input"
          type="text"
          role="combobox"
          autoFocus
          autoComplete="off"
          spellcheck={false}
          aria-label={palette.title}
          aria-expanded
          aria-controls="palette-list"
          aria-autocomplete="list"
          aria-activedescendant={found.value.length > 0 ? `palette-${at}` : undefined}
          placeholder={palette.placeholder}
          value={typed.value}
          onInput={type}
          onKeyDown={onKey}
        />
        <kbd>{palette.escape}</kbd>
      </div>
      <ul class="palette-list" id="palette-list" role="listbox" aria-label={palette.title}>
        {found.value.map((command, index) => (
          <Row key={command.id} command={command} index={index} isChosen={index === at} onRun={() => run(command)} />
        ))}
      </ul>
      {found.value.length === 0 && (
        <p class="palette-empty" role="status">
          {palette.noResults}
        </p>
      )}
    </>
  );
}

type RowProps = { command: Command; index: number; isChosen: boolean; onRun(): void };

function Row({ command: { icon, title, kind }, index, isChosen, onRun }: RowProps) {
  return (
    <li
      class="palette-row"
      id={`palette-${index}`}
      role="option"
      aria-selected={isChosen}
      ref={isChosen ? intoView : null}
      onClick={onRun}
    >
      <Icon name={icon} />
      <span class="palette-title" dir="auto">
        {title}
      </span>
      <span class="palette-kind">{kind}</span>
    </li>
  );
}

function intoView(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}
