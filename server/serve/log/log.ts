// The log on standard output: JSON lines, or readable text on a terminal. Neither can contain terminal control
// sequences: a message is escaped before pino-pretty adds colors, and the rest of the line after.
import { Writable } from 'node:stream';
import pino from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import type { Config } from '../../config/keys.ts';
import type { Log } from '../../domain/log.ts';
import { escapedJson, printable } from '../../domain/text/terminal-text.ts';
import { isTextLog } from './fatal.ts';
import { type LogOutput, openLogOutput } from './output.ts';

export type LeveledLog = { log: Log; setLevel: (level: Config['log_level']) => void };

/** `onLine` gets each line as JSON without terminal control characters. */
export async function openLog(
  config: Pick<Config, 'log_level' | 'log_format'>,
  onLine: (line: string) => void,
): Promise<LeveledLog> {
  const base = {
    level: config.log_level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: plainError },
  };
  const noted = (line: string, written: string): string => {
    onLine(escapedJson(line));
    return written;
  };
  const output = openLogOutput(process.stdout.fd, (lost, code) =>
    log.warn({ lost, code }, 'log lines could not be written and are lost'),
  );
  const { log, setLevel } = leveled(
    isTextLog(config)
      ? pino({ ...base, hooks: { streamWrite: (line) => noted(line, line) } }, await readable(output))
      : pino({ ...base, hooks: { streamWrite: (line) => noted(line, escapedJson(line)) } }, output),
  );
  return { log, setLevel };
}

async function readable(output: LogOutput): Promise<Writable> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ...READABLE, colorize: process.stdout.isTTY, destination: printed(output) });
}

// Narrows pino's type, which TypeScript treats as a possible promise.
const leveled = (log: Log & { level: string }): LeveledLog => ({
  log,
  setLevel: (level) => void (log.level = level),
});

function printed(output: LogOutput): Writable {
  return new Writable({
    decodeStrings: false,
    write: (line, _encoding, done) => {
      output.write(withColors(String(line)));
      done();
    },
  });
}

const COLOR = /(\x1b\[(?:3[1-9]|9[0-7])m)/; // and its end

// pino-pretty adds colors only on a terminal.
function withColors(line: string): string {
  if (!process.stdout.isTTY) return printable(line);
  return line
    .split(COLOR)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

const OF_REQUEST = ['method', 'route', 'status', 'error', 'ms', 'bytes', 'ip', 'request_id'];

/** One line per entry: request fields follow the message, and other fields are JSON. */
const READABLE: PrettyOptions = {
  sync: true,
  // A file may span days.
  translateTime: process.stdout.isTTY ? 'SYS:HH:MM:ss' : 'SYS:yyyy-mm-dd HH:MM:ss',
  singleLine: true,
  ignore: OF_REQUEST.join(','),
  messageFormat: (line, message) =>
    [message, ...OF_REQUEST]
      .flatMap((name) => (line[name] === undefined ? [] : printable(`${line[name]}${UNITS[name] ?? ''}`)))
      .join(' '),
};

const UNITS: Readonly<Record<string, string>> = { ms: ' ms', bytes: ' B' };

// Logs only selected fields: an error from the HTTP parser contains the whole request, including tokens.
function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  return { name: error.name, message: error.message, ...('code' in error && { code: error.code }), stack: error.stack };
}
