// The saved filters of a page: opens, renames and deletes them, and saves the current one.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useAddress } from '../../frame/address.ts';
import { showToast } from '../../frame/toast.ts';
import { words } from '../../i18n/language.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { IconButton, IconLink } from '../../parts/icon.tsx';
import { openFilter } from './open-filter.ts';
import {
  deleteFilter,
  filterNamed,
  openedFilter,
  renameFilter,
  type SavedFilter,
  savedFilters,
  saveFilter,
} from './saved-filters.ts';
import { type FilteredPage, invalidFields, validQuery } from './valid-query.ts';

/** The button on the page, and its dialog, which has its own address. */
export function FilterMenu({ page }: { page: FilteredPage }) {
  const { query, pathWith, change, replace } = useAddress();
  const { find } = words.value;
  const wrong = invalidFields(page, query);
  useEffect(() => {
    if (wrong.length === 0) return;
    replace(Object.fromEntries(wrong.map((field) => [field, undefined])));
    const dropped = wrong.map((field) => `${field}: ${query[field]}`).join(', ');
    showToast({ text: find.linkWithout(dropped), tone: 'warning' });
  }, [wrong.join()]);
  return (
    <>
      <IconLink icon="bookmark" label={find.savedFilters} href={pathWith({ dialog: 'filters' })} />
      {query['dialog'] === 'filters' && (
        <Dialog title={find.savedFilters} onClose={() => change({ dialog: undefined })}>
          <div class="form">
            <Filters page={page} />
            <SaveForm page={page} onDone={() => change({ dialog: undefined })} />
          </div>
        </Dialog>
      )}
    </>
  );
}

function Filters({ page }: { page: FilteredPage }) {
  const own = savedFilters().filter((each) => each.page === page);
  const renamed = useSignal<string | null>(null);
  if (own.length === 0) return <p class="field-hint">{words.value.find.noFilters}</p>;
  return (
    <ul class="saved-filters">
      {own.map((saved) =>
        saved.name === renamed.value ? (
          <RenameForm key={saved.name} saved={saved} onDone={() => (renamed.value = null)} />
        ) : (
          <Filter key={saved.name} saved={saved} onRename={() => (renamed.value = saved.name)} />
        ),
      )}
    </ul>
  );
}

function Filter({ saved, onRename }: { saved: SavedFilter; onRename(): void }) {
  const { find } = words.value;
  const { route } = useLocation();
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openFilter(saved, route);
  };
  return (
    <li class="saved-filter">
      <a class="link" href={openedFilter(saved).path} onClick={open} dir="auto">
        {saved.name}
      </a>
      <button
        type="button"
        class="button button-small button-quiet"
        aria-label={find.renameNamed(saved.name)}
        onClick={onRename}
      >
        {find.rename}
      </button>
      <IconButton icon="close" isSmall label={find.deleteNamed(saved.name)} onClick={() => deleteFilter(saved)} />
    </li>
  );
}

function RenameForm({ saved, onDone }: { saved: SavedFilter; onDone(): void }) {
  const rename = (name: string) => {
    renameFilter(saved, name);
    onDone();
  };
  return (
    <li>
      <NameForm
        id="rename-filter"
        label={words.value.find.newName}
        page={saved.page}
        first={saved.name}
        onName={rename}
      />
    </li>
  );
}

/** Without a filter there is nothing to save. */
function SaveForm({ page, onDone }: { page: FilteredPage; onDone(): void }) {
  const { query } = useAddress();
  const { kept } = validQuery(page, query);
  if (Object.keys(kept).length === 0) return <p class="field-hint">{words.value.find.nothingToSave}</p>;
  const save = (name: string) => {
    saveFilter({ name, page, query: kept });
    onDone();
  };
  return <NameForm id="filter-name" label={words.value.find.saveAs} page={page} first="" onName={save} />;
}

type NameFormProps = { id: string; label: string; page: FilteredPage; first: string; onName(name: string): void };

/** Says before saving that a filter will be replaced. */
function NameForm({ id, label, page, first, onName }: NameFormProps) {
  const { find, common } = words.value;
  const name = useSignal(first);
  const wanted = name.value.trim();
  const isTaken = wanted !== first && filterNamed(page, wanted) !== undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (wanted !== '') onName(wanted);
  };
  return (
    <form class="name-form" onSubmit={submit}>
      <TextField
        id={id}
        label={label}
        hint={isTaken ? find.replaces(wanted) : undefined}
        value={name}
        autoComplete="off"
        autoFocus
      />
      <button type="submit" class="button button-primary" aria-disabled={wanted === ''}>
        {isTaken ? find.replace : common.save}
      </button>
    </form>
  );
}
