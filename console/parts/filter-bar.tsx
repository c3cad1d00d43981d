// The filters above a list. The address is their only state.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

/** The first keystroke applies immediately. Further ones within this time become a single address change. */
const TYPING_MS = 50;

/** `children` are additional filters; `note` describes the result. */
type FilterBarProps = {
  search: string;
  clearPath: string | undefined;
  note?: ComponentChildren;
  children: ComponentChildren;
};

export function FilterBar({ search, clearPath, note, children }: FilterBarProps) {
  const { filters } = words.value;
  // On phones the additional filters are collapsed unless one is set.
  const isOpen = useSignal(clearPath !== undefined);
  return (
    <search class="filters" aria-label={filters.label} data-open={isOpen.value}>
      <SearchField label={search} />
      {Boolean(children) && (
        <button
          type="button"
          class="button button-icon filters-toggle"
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

/** `onEnter` is for pages where Enter acts on the text. */
export function SearchField({ label, onEnter }: { label: string; onEnter?: (text: string) => void }) {
  const { query, replace } = useAddress();
  const text = query['text'] ?? '';
  const typed = useSignal(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const changedAt = useRef(0);
  const change = useRef(replace);
  change.current = replace;
  // The back button and links update the field, but never while the user types.
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
    if (event.key === 'Enter' && !event.isComposing) onEnter?.(typed.value.trim());
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
  // The address may name a value that is not in the list, such as an agent that is gone. It stays visible and can be
  // cleared.
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

type AliasFilterProps = {
  name: string;
  label: string;
  aliases: readonly string[];
  /** Takes each alias, and leaves the field empty; by default the address keeps one. */
  onAdd?: (alias: string) => void;
};

/** An alias typed or picked from suggestions, because five hundred aliases do not fit a select menu. */
export function AliasFilter({ name, label, aliases, onAdd }: AliasFilterProps) {
  const { query, change } = useAddress();
  const isUsed = useSignal(false);
  const value = query[name] ?? '';
  const list = `aliases-${name}`;
  const choose = ({ currentTarget }: { currentTarget: { value: string } }) => {
    const alias = currentTarget.value.trim();
    if (onAdd === undefined) return change({ [name]: alias || undefined });
    currentTarget.value = '';
    if (alias !== '') onAdd(alias);
  };
  return (
    <span class="alias-filter" data-set={value !== ''}>
      <input
        key={value}
        class="filter-select"
        type="search"
        list={list}
        aria-label={label}
        placeholder={onAdd ? label : words.value.labelled(label, words.value.filters.anyone)}
        autoComplete="off"
        spellcheck={false}
        defaultValue={value}
        onChange={choose}
        onFocus={() => (isUsed.value = true)}
        onBlur={() => (isUsed.value = false)}
      />
      <datalist id={list}>{isUsed.value && aliases.map((alias) => <option key={alias} value={alias} />)}</datalist>
    </span>
  );
}
