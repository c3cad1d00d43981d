// Checks the lengths of texts, which the hub counts in Unicode code points, and parses numbers from fields.
import { words } from '../i18n/language.ts';

export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Why the name is invalid, if it is. */
export function nameError(name: string, max: number): string | undefined {
  const { errors } = words.value;
  if (name === '') return errors.nameMissing;
  return lengthOf(name) > max ? errors.tooLong(max) : undefined;
}

/** The parsed integer, or undefined when it is invalid or out of range. */
export function wholeNumberIn(typed: string, min: number, max: number): number | undefined {
  const value = Number(typed.trim());
  return typed.trim() !== '' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}
