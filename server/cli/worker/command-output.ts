// What a command prints, as far as it is needed: the ends of its two streams for the reply, and of both together for
// those who watch. Lines that report progress are taken out.
import { MAX_TEXT, STORED_OUTPUT } from '../../domain/limits.ts';

export type TaskOutput = {
  take(stream: Stream, bytes: Buffer): void;
  /** What was printed without a line break at its end counts from here on. */
  finish(): void;
  /** The last 10,000 characters. */
  endOf(stream: Stream): string;
  /** The last 4,000 characters of both streams, in the order they came. */
  recent(): string;
  /** Undefined until the command reports some. */
  progress(): number | undefined;
};

export type Stream = 'stdout' | 'stderr';

const PROGRESS = /^agenthub:progress (\d{1,3}(?:\.\d+)?)\s*$/;
/** A line longer than this is passed on before it ends: it is no report of progress. */
const LONGEST_LINE = 1_000;

export function gatherOutput(): TaskOutput {
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

/** Hands on whole lines, each with its line break; `rest` is the one that has none yet. */
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

/** The last so many characters of what is added, in text that the hub takes: well-formed and without U+0000. */
function tail(characters: number): { add(text: string): void; text(): string } {
  let kept = '';
  return {
    add: (text) => {
      kept += text;
      // Cut now and then, not at every piece; a character takes at most two units.
      if (kept.length > 8 * characters) kept = kept.slice(-2 * characters);
    },
    text: () => acceptable(lastCharacters(kept, characters)),
  };
}

function acceptable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Never half a character. */
export function lastCharacters(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(-2 * count))
        .slice(-count)
        .join('');
}
