// Parses server-sent events from chunks of any size, following the HTML standard.

export type StreamEvent = { type: string; data: string };

export type StreamParser = {
  /** Parses the next chunk of decoded text. */
  feed(chunk: string): void;
  /** The id to resume from; empty before the stream has sent one. */
  lastEventId(): string;
};

export type StreamHandlers = { onEvent(event: StreamEvent): void; onRetry(milliseconds: number): void };

const LINE_END = /\r\n|\r|\n/;
const DIGITS = /^[0-9]+$/;

export function streamParser({ onEvent, onRetry }: StreamHandlers): StreamParser {
  let unfinished = '';
  let endedInCarriageReturn = false;
  let type = '';
  let data: string[] = [];
  let id = '';
  let settledId = '';

  const fields: Record<string, (value: string) => void> = {
    event: (value) => (type = value),
    data: (value) => data.push(value),
    id: (value) => {
      if (!value.includes('\0')) id = value;
    },
    retry: (value) => {
      if (DIGITS.test(value)) onRetry(Number(value));
    },
  };

  function feed(chunk: string): void {
    if (chunk === '') return;
    // When a CRLF is split between two chunks, its line feed does not end another line.
    const text = endedInCarriageReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endedInCarriageReturn = chunk.endsWith('\r');
    const lines = (unfinished + text).split(LINE_END);
    unfinished = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  }

  function takeLine(line: string): void {
    if (line === '') return dispatch();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    // Comments have an empty field name. Names such as `constructor` must not match inherited properties.
    if (Object.hasOwn(fields, name)) fields[name]?.(value);
  }

  function dispatch(): void {
    settledId = id;
    const event = { type: type || 'message', data: data.join('\n') };
    const silent = data.length === 0;
    type = '';
    data = [];
    if (!silent) onEvent(event);
  }

  return { feed, lastEventId: () => settledId };
}
