// The command palette: finds pages, agents, tasks, messages and actions by a few letters, and opens the page of an ID.
import { useComputed, useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import { type NamedById, useNamedById } from '../find/found-id.ts';
import { Marked } from '../find/highlight.tsx';
import { type Searches, useSearches } from '../find/searches.ts';
import { words } from '../i18n/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Command, commandOf, commandsFor, commandsFound } from './commands.ts';
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
  /** The entry chosen with the keys, if any: entries that arrive later must not change it. */
  const chosen = useSignal<string | undefined>(undefined);
  const text = typed.value.trim();
  const named = useNamedById(text);
  const searches = useSearches(named === undefined && text.length >= SEARCHED_FROM ? text : '', FOUND);
  const local = useComputed(() => commandsFor(typed.value, route));
  const found = allOf(text, local.value, named, searches);
  const at = Math.max(
    0,
    found.findIndex(({ id }) => id === chosen.value),
  );
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
    if (step === undefined) run(found[at]);
    else chosen.value = found.at((at + step) % found.length)?.id;
  };
  const type = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    typed.value = currentTarget.value;
    chosen.value = undefined;
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
          aria-activedescendant={found.length > 0 ? `palette-${at}` : undefined}
          placeholder={palette.placeholder}
          value={typed.value}
          onInput={type}
          onKeyDown={onKey}
        />
        <kbd>{palette.escape}</kbd>
      </div>
      <ul class="palette-list" id="palette-list" role="listbox" aria-label={palette.title}>
        {found.map((command, index) => (
          <Row
            key={command.id}
            command={command}
            wanted={text}
            index={index}
            isChosen={index === at}
            onRun={() => run(command)}
          />
        ))}
      </ul>
      <p class="palette-note" role="status">
        {noteOf(named, searches)}
      </p>
    </>
  );
}

/** Shorter texts would match nearly everything. */
const SEARCHED_FROM = 2;
/** The number of tasks, and of messages, to find. */
const FOUND = 4;

function allOf(
  text: string,
  local: readonly Command[],
  named: NamedById | undefined,
  searches: Searches | null,
): readonly Command[] {
  if (named !== undefined && named.isMissing !== true) return [commandOf(named)];
  return searches === null ? local : [...local, ...commandsFound(text, searches, local)];
}

function noteOf(named: NamedById | undefined, searches: Searches | null): string | null {
  const { find, live } = words.value;
  if (named?.isMissing === true) return find.noId;
  const states = [searches?.tasks.state.value, searches?.messages.state.value];
  if (states.includes('running')) return find.running;
  return states.includes('failed') ? live.listFailed : null;
}

type RowProps = { command: Command; wanted: string; index: number; isChosen: boolean; onRun(): void };

function Row({ command: { icon, title, part, kind }, wanted, index, isChosen, onRun }: RowProps) {
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
        <Marked text={title} wanted={wanted} />
        {part !== undefined && (
          <span class="palette-part">
            <Marked text={part} wanted={wanted} />
          </span>
        )}
      </span>
      <span class="palette-kind">{kind}</span>
    </li>
  );
}

function intoView(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}
