// Collects the output of a command: the end of each stream for the reply, and the end of both together for status
// reports. Removes the lines that report progress.
import { MAX_TEXT, STORED_OUTPUT } from '../../domain/limits.ts';

export type TaskOutput = {
  take(stream: Stream, bytes: Buffer): void;
  /** Flushes a last line that has no line break. */
  finish(): void;
  /** The last 10,000 characters. */
  endOf(stream: Stream): string;
  /** The last 4,000 characters of both streams, in the order of arrival. */
  recent(): string;
  /** Undefined until the command reports progress. */
  progress(): number | undefined;
};

export type Stream = 'stdout' | 'stderr';

const PROGRESS = /^agenthub:progress (\d{1,3}(?:\.\d+)?)\s*$/;
/** A longer line cannot be a progress report, and is passed on before it ends. */
const LONGEST_LINE = 1_000;

export function collectOutput(): TaskOutput {
  const ends = { stdout: tail(MAX_TEXT), stderr: tail(MAX_TEXT) };
  const both = tail(STORED_OUTPUT);
  let progress: number | undefined;

  const keep = (stream: Stream, text: string): void => {
    ends[stream].add(text);
    both.add(text);
  };
  const takeLine = (stream: Stream, line: string): void => {
    const reported = PROGRESS.exec(line)?.[1];
    if (reported === undefined) keep(stream, line);
    else progress = Math.min(100, Number(reported));
  };
  const lines = {
    stdout: splitLines((line) => takeLine('stdout', line)),
    stderr: splitLines((line) => takeLine('stderr', line)),
  };
  return {
    take: (stream, bytes) => lines[stream].take(bytes),
    finish: () => Object.values(lines).forEach((splitter) => splitter.finish()),
    endOf: (stream) => ends[stream].text(),
    recent: () => lastCharacters(both.text() + lines.stdout.rest() + lines.stderr.rest(), STORED_OUTPUT),
    progress: () => progress,
  };
}

/** Passes on complete lines with their line break. `rest` is the incomplete line. */
function splitLines(onLine: (line: string) => void): { take(bytes: Buffer): void; rest(): string; finish(): void } {
  const decoder = new TextDecoder();
  let rest = '';
  const split = (text: string): void => {
    const lines = (rest + text).split(/(?<=\n)/);
    const last = lines.at(-1) ?? '';
    rest = last.endsWith('\n') || last.length > LONGEST_LINE ? '' : (lines.pop() ?? '');
    lines.filter((line) => line !== '').forEach(onLine);
  };
  return {
    take: (bytes) => split(decoder.decode(bytes, { stream: true })),
    rest: () => (rest.startsWith('agenthub:') ? '' : acceptable(rest)),
    finish: () => {
      split(decoder.decode());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}

/** Keeps the last characters of the added text, in a form that the hub accepts: well-formed and without U+0000. */
function tail(characters: number): { add(text: string): void; text(): string } {
  let kept = '';
  return {
    add: (text) => {
      kept += text;
      // Cut only occasionally, not for every chunk. A character takes at most two UTF-16 units.
      if (kept.length > 8 * characters) kept = kept.slice(-2 * characters);
    },
    text: () => acceptable(lastCharacters(kept, characters)),
  };
}

function acceptable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Never splits a character. */
export function lastCharacters(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(-2 * count))
        .slice(-count)
        .join('');
}
