// The result of a doctor check: its level, a description and, for problems, a remedy.

export type Finding = { check: string; level: 'ok' | 'warn' | 'fail'; says: string; remedy?: string };

export const ok = (check: string, says: string): Finding => ({ check, level: 'ok', says });
export const warn = (check: string, says: string, remedy: string): Finding => ({ check, level: 'warn', says, remedy });
export const fail = (check: string, says: string, remedy: string): Finding => ({ check, level: 'fail', says, remedy });

/** Names an option that agenthub does not have; its own remedies name the environment variable. */
const ADVICE_OF_NODE = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/;

/** Returns the message of an error, or its code if the message repeats the call, such as `listen EACCES: …`. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if ('code' in error && error.message.includes(': ')) return String(error.code);
  return error.message.replace(ADVICE_OF_NODE, '');
}
