// The filters above a list. They are the address, seen as fields.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

/** The first letter counts at once; those that follow faster than this are one change of the address. */
const TYPING_MS = 50;

/** `children` are the filters beside the search, if there are any; `note` says what they find. */
type FilterBarProps = {
  search: string;
  clearPath: string | undefined;
  note?: ComponentChildren;
  children: ComponentChildren;
};

export function FilterBar({ search, clearPath, note, children }: FilterBarProps) {
  const { filters } = words.value;
  // On a phone the list comes first: what else can be filtered by is opened, unless it already filters.
  const isOpen = useSignal(clearPath !== undefined);
  return (
    <search class="filters" aria-label={filters.label} data-open={isOpen.value}>
      <SearchField label={search} />
      {Boolean(children) && (
        <button
          type="button"
          class="button button-icon filters-opener"
          aria-label={filters.label}
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name="filter" />
        </button>
      )}
      {children}
      {note !== undefined && (
        <span class="filter-total" role="status">
          {note}
        </span>
      )}
      {clearPath !== undefined && (
        <a class="button button-quiet" href={clearPath}>
          {filters.clear}
        </a>
      )}
    </search>
  );
}

function SearchField({ label }: { label: string }) {
  const { query, amend } = useAddress();
  const text = query['text'] ?? '';
  const typed = useSignal(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const changedAt = useRef(0);
  const change = useRef(amend);
  change.current = amend;
  // The back button, or a link, changes the field; what is being typed does not fight with the address it makes.
  useEffect(() => {
    if (timer.current === undefined) typed.value = text;
  }, [text]);
  const type = (value: string) => {
    typed.value = value;
    clearTimeout(timer.current);
    const search = () => {
      timer.current = undefined;
      changedAt.current = performance.now();
      change.current({ text: value.trim() || undefined });
    };
    if (performance.now() - changedAt.current > TYPING_MS) search();
    else timer.current = setTimeout(search, TYPING_MS);
  };
  const leave = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key !== 'Escape') return;
    if (typed.value === '') event.currentTarget.blur();
    else type('');
  };
  return (
    <span class="search-field">
      <Icon name="search" />
      <input
        class="search-input"
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellcheck={false}
        data-search
        aria-keyshortcuts="/"
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={leave}
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
  );
}

type SelectProps = { name: string; label: string; any: string; options: readonly { value: string; label: string }[] };

export function FilterSelect({ name, label, any, options }: SelectProps) {
  const { query, change } = useAddress();
  const value = query[name] ?? '';
  // An address may name what no list knows (an agent that is gone): it stays visible, and can be taken back.
  const isUnknown = value !== '' && options.every((option) => option.value !== value);
  const choose = (event: { currentTarget: { value: string } }) =>
    change({ [name]: event.currentTarget.value || undefined });
  return (
    <select class="filter-select" aria-label={label} value={value} data-set={value !== ''} onChange={choose}>
      <option value="">{any}</option>
      {isUnknown && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

type AliasFilterProps = { name: string; label: string; aliases: readonly string[] };

/** A name typed or picked: five hundred of them are too many for a menu. */
export function AliasFilter({ name, label, aliases }: AliasFilterProps) {
  const { query, change } = useAddress();
  const value = query[name] ?? '';
  const list = `aliases-${name}`;
  const choose = (event: { currentTarget: { value: string } }) =>
    change({ [name]: event.currentTarget.value.trim() || undefined });
  return (
    <span class="alias-filter" data-set={value !== ''}>
      <input
        key={value}
        class="filter-select"
        type="search"
        list={list}
        aria-label={label}
        placeholder={`${label}: ${words.value.filters.anybody}`}
        autoComplete="off"
        spellcheck={false}
        defaultValue={value}
        onChange={choose}
      />
      <datalist id={list}>
        {aliases.map((alias) => (
          <option key={alias} value={alias} />
        ))}
      </datalist>
    </span>
  );
}
