// The button that exports a list, and its dialog, which has its own address: a page may have several lists.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../frame/address.ts';
import { language, words } from '../i18n/language.ts';
import { errorText } from '../live/error-texts.ts';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { wholeNumber } from '../parts/format.ts';
import { IconLink } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { EXPORT_FORMATS, type ExportFormat, type ExportList, exportList } from './export-list.ts';

/** `what` names the list where the page has several. */
export function ExportButton({ list, what }: { list: ExportList; what?: string }) {
  const { query, pathWith, change } = useAddress();
  const { find, labelled } = words.value;
  const title = what === undefined ? find.export : labelled(find.export, what);
  const dialog = `export-${list.name}`;
  return (
    <>
      <IconLink icon="download" label={title} href={pathWith({ dialog })} />
      {query['dialog'] === dialog && (
        <ExportDialog list={list} title={title} onClose={() => change({ dialog: undefined })} />
      )}
    </>
  );
}

type State = { rows: number; file?: string; problem?: string };

/** Closing the dialog ends the export. */
function ExportDialog({ list, title, onClose }: { list: ExportList; title: string; onClose(): void }) {
  const { find, common } = words.value;
  const format = useSignal<ExportFormat>('csv');
  const state = useSignal<State | null>(null);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const isRunning = state.value !== null && state.value.file === undefined && state.value.problem === undefined;
  const start = async () => {
    running.current = new AbortController();
    const { signal } = running.current;
    state.value = { rows: 0 };
    try {
      const { name, rows, content } = await exportList(list, format.value, signal, (n) => (state.value = { rows: n }));
      save(name, content);
      state.value = { rows, file: name };
    } catch (error) {
      if (!signal.aborted) state.value = { rows: 0, problem: errorText(error) };
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <p>{find.exportText}</p>
        <Choice
          name="format"
          legend={find.format}
          options={EXPORT_FORMATS.map((value) => ({ value, label: value.toUpperCase() }))}
          chosen={format.value}
          onChoose={(value) => (format.value = value)}
        />
        <p class="export-state" role="status">
          {state.value !== null && state.value.problem === undefined && progressOf(state.value)}
        </p>
        {state.value?.problem !== undefined && <Notice tone="error">{state.value.problem}</Notice>}
        <div class="form-actions">
          <button
            type="button"
            class="button button-primary"
            aria-disabled={isRunning}
            onClick={() => isRunning || start()}
          >
            {find.export}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {isRunning ? common.cancel : common.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function progressOf({ rows, file }: State): string {
  const { find } = words.value;
  const shown = wholeNumber(rows, language.value);
  return file === undefined ? find.exporting(shown) : find.exported(rows, shown, file);
}

function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has opened the blob once the download has begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
