// What a check of the doctor found, and what to do about it.

export type Finding = { check: string; level: 'ok' | 'warn' | 'fail'; says: string; remedy?: string };

export const ok = (check: string, says: string): Finding => ({ check, level: 'ok', says });
export const warn = (check: string, says: string, remedy: string): Finding => ({ check, level: 'warn', says, remedy });
export const fail = (check: string, says: string, remedy: string): Finding => ({ check, level: 'fail', says, remedy });

/** An error's own words, for what it is about. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  return 'code' in error && error.message.includes(': ') ? String(error.code) : error.message;
}
