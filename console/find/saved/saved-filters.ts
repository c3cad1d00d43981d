// Filters that a person has saved under a name, for each network, in the browser's storage.
import { signal } from '@preact/signals';
import { account } from '../../account/account.ts';
import { withQuery } from '../../live/request.ts';
import { readStored, writeStored } from '../../live/storage.ts';
import { PATHS } from '../../routes.ts';
import { type FilteredPage, isFilteredPage, validQuery } from './valid-query.ts';

export type SavedFilter = { name: string; page: FilteredPage; query: Record<string, string> };

/** Components that read it render again after a change. */
const changes = signal(0);

/** Sorted by name. Read from storage each time, since another tab may have changed them. */
export function savedFilters(): readonly SavedFilter[] {
  void changes.value;
  return listIn(readStored('localStorage', keyOf())).toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Replaces the filter of the page that has this name. */
export function saveFilter(saved: SavedFilter): void {
  write([...without(saved), saved]);
}

/** Replaces another filter that has the new name. */
export function renameFilter(saved: SavedFilter, name: string): void {
  const renamed = { ...saved, name };
  write([...without(saved).filter((each) => !isSame(each, renamed)), renamed]);
}

export function deleteFilter(saved: SavedFilter): void {
  write(without(saved));
}

/** The filter of the page under this name. */
export function filterNamed(page: FilteredPage, name: string): SavedFilter | undefined {
  return savedFilters().find((each) => isSame(each, { page, name }));
}

/** The address that a saved filter opens, and the parts of it that no longer exist. */
export function openedFilter({ page, query }: SavedFilter): { path: string; dropped: readonly string[] } {
  const { kept, dropped } = validQuery(page, query);
  return { path: withQuery(PATHS[page], kept), dropped };
}

function keyOf(): string {
  return `agenthub.filters ${account.value?.user.user_id} ${account.value?.network_id}`;
}

function without(saved: SavedFilter): SavedFilter[] {
  return savedFilters().filter((each) => !isSame(each, saved));
}

function isSame(one: Pick<SavedFilter, 'page' | 'name'>, other: Pick<SavedFilter, 'page' | 'name'>): boolean {
  return one.page === other.page && one.name === other.name;
}

function write(filters: readonly SavedFilter[]): void {
  writeStored('localStorage', keyOf(), JSON.stringify(filters));
  changes.value++;
}

/** Another version of the console, or the user, may have written it. */
function listIn(stored: string | null): SavedFilter[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(list) ? list.filter(isSavedFilter) : [];
  } catch {
    return [];
  }
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null) return false;
  const [name, page, query]: unknown[] = [
    Reflect.get(value, 'name'),
    Reflect.get(value, 'page'),
    Reflect.get(value, 'query'),
  ];
  return typeof name === 'string' && isFilteredPage(page) && typeof query === 'object' && query !== null;
}
