// Exports a whole list, page by page, into a file that the browser saves. The browser builds the file: its requests are
// short, have the permissions of the user, and can stop at any page. A single response would occupy memory of the hub.
import { hubTime } from '../live/clock.ts';
import type { Portion } from '../live/listing.ts';
import { RequestError } from '../live/request.ts';
import { stampOf } from '../parts/format.ts';
import { BYTE_ORDER_MARK, csvLine } from './csv.ts';

export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportList = {
  /** Part of the file name. */
  name: string;
  /** Part of the file name: the network, or the whole hub. */
  of: string;
  /** The fields in CSV, in their order. JSON has all fields. */
  columns: readonly string[];
  pages(signal: AbortSignal): AsyncIterable<readonly object[]>;
};

export type ExportedFile = { name: string; rows: number; content: Blob };

/** Throws if a request fails or the export is aborted. `onRows` receives the number of rows so far. */
export async function exportList(
  list: ExportList,
  format: ExportFormat,
  signal: AbortSignal,
  onRows: (rows: number) => void,
): Promise<ExportedFile> {
  const write = WRITERS[format];
  // The browser can keep blobs on disk.
  const parts: Blob[] = [];
  let rows = 0;
  for await (const page of list.pages(signal)) {
    signal.throwIfAborted();
    parts.push(new Blob([page.map((row, at) => write.row(row, list.columns, rows + at === 0)).join('')]));
    rows += page.length;
    onRows(rows);
  }
  const content = new Blob([write.start(list.columns), ...parts, write.end], { type: write.type });
  return { name: fileName(list, format), rows, content };
}

type Writer = {
  type: string;
  start(columns: readonly string[]): string;
  row(row: object, columns: readonly string[], isFirst: boolean): string;
  end: string;
};

const WRITERS: Record<ExportFormat, Writer> = {
  csv: {
    type: 'text/csv;charset=utf-8',
    start: (columns) => BYTE_ORDER_MARK + csvLine(columns),
    row: (row, columns) => csvLine(columns.map((column) => Reflect.get(row, column))),
    end: '',
  },
  json: {
    type: 'application/json',
    start: () => '[',
    row: (row, _columns, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(row)}`,
    end: '\n]\n',
  },
};

/** `agenthub-home-tasks-2026-11-23.csv` */
export function fileName({ of, name }: Pick<ExportList, 'of' | 'name'>, format: ExportFormat): string {
  const [date] = stampOf(hubTime()).split(' ');
  return `${['agenthub', of.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, ''), name, date].filter(Boolean).join('-')}.${format}`;
}

/** The pages of a list in its order. When the hub limits the rate, waits for as long as its response says. */
export async function* pagesOf<Row>(
  signal: AbortSignal,
  ask: (cursor: string | undefined) => Promise<Portion<Row>>,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const { rows, next } = await askPatiently(signal, () => ask(cursor));
    yield rows;
    cursor = next;
  } while (cursor !== undefined);
}

async function askPatiently<Answer>(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RequestError) || error.retryAfterSeconds === null) throw error;
      await pause(error.retryAfterSeconds * 1_000, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
