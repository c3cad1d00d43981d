// The last log line of a hub that cannot start, before the log itself is loaded, or whose database failed. A person
// reads the same message on standard error; programs that collect the log as JSON find it only here.
import type { Config } from '../../config/keys.ts';
import { escapedJson } from '../../domain/text/terminal-text.ts';
import { systemClock } from '../../domain/time/clock.ts';

export function isTextLog({ log_format }: Pick<Config, 'log_format'>): boolean {
  return log_format === 'text' || (log_format === 'auto' && process.stdout.isTTY);
}

export function logFatal(config: Pick<Config, 'log_format'>, { message }: Pick<Error, 'message'>): void {
  if (isTextLog(config)) return;
  const line = { level: 'fatal', time: new Date(systemClock.now()).toISOString(), msg: message };
  process.stdout.write(`${escapedJson(JSON.stringify(line))}\n`);
}
