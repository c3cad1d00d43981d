// The log: one JSON line each on standard output, or readable lines where a person watches.
import pino from 'pino';
import pretty from 'pino-pretty';
import type { Log } from '../hub.ts';

export function openLog(level: string, isTerminal: boolean): Log {
  const base = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label: string) => ({ level: label }) } };
  return isTerminal ? pino(base, pretty({ colorize: true, sync: true, translateTime: 'SYS:HH:MM:ss' })) : pino(base);
}
