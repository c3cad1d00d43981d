// Reads the text of a server-sent event stream, however it is cut into chunks, by the rules of the HTML standard.

export type StreamEvent = { type: string; data: string };

export type StreamParser = {
  /** Takes the next piece of decoded text. */
  feed(chunk: string): void;
  /** The position to resume from; empty before the stream named one. */
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
    // The line feed of a CRLF whose carriage return closed the last chunk ends no second line.
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
    // A comment has an empty name, and a name like `constructor` must find nothing.
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
