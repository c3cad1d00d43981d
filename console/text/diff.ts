// The lines of a diff by what happened to them.

export type DiffLine = { text: string; change: 'added' | 'removed' | 'place' | 'file' | undefined };

const CHANGES: readonly (readonly [start: RegExp, change: DiffLine['change']])[] = [
  [/^(?:diff |index |--- |\+\+\+ |(?:new|deleted) file |rename |similarity )/, 'file'],
  [/^@@/, 'place'],
  [/^\+/, 'added'],
  [/^-/, 'removed'],
];

export function diffLines(text: string): DiffLine[] {
  return text.split('\n').map((line) => ({ text: line, change: CHANGES.find(([start]) => start.test(line))?.[1] }));
}
