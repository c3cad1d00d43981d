// Opens a saved filter with the fields and values that still exist, and says which do not.
import { showToast } from '../../frame/toast.ts';
import { words } from '../../i18n/language.ts';
import { openedFilter, type SavedFilter } from './saved-filters.ts';

export function openFilter(saved: SavedFilter, route: (path: string) => void): void {
  const { path, dropped } = openedFilter(saved);
  route(path);
  if (dropped.length > 0)
    showToast({ text: words.value.find.openedWithout(saved.name, dropped.join(', ')), tone: 'warning' });
}
