// The filters above a list. The address is their only state.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

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
  /** What was typed and the address does not show yet. */
  const sent = useRef<string[]>([]);
  // The back button and links update the field. The address follows the field with a delay, which must not undo keys.
  useEffect(() => {
    const at = sent.current.lastIndexOf(text);
    sent.current.splice(0, at + 1);
    if (at < 0) typed.value = text;
  }, [text]);
  const type = (value: string) => {
    typed.value = value;
    const next = value.trim();
    if (next === (sent.current.at(-1) ?? text)) return;
    sent.current.push(next);
    replace({ text: next || undefined });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) onEnter?.(typed.value.trim());
    if (event.key !== 'Escape' || typed.value === '') return;
    event.preventDefault();
    type('');
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
        onKeyDown={onKeyDown}
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
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => void (field.current && (field.current.value = value)), [value]);
  const choose = ({ currentTarget }: { currentTarget: { value: string } }) => {
    const alias = currentTarget.value.trim();
    if (onAdd === undefined) return change({ [name]: alias || undefined });
    currentTarget.value = '';
    if (alias !== '') onAdd(alias);
  };
  return (
    <span class="alias-filter" data-set={value !== ''}>
      <input
        ref={field}
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
