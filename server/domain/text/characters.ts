// Unicode code points, the unit of all lengths in the interface.

export const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

export function codePoints(text: string): number {
  let surrogatePairs = 0;
  for (let index = 0; index < text.length; index++) if (isHighSurrogate(text.charCodeAt(index))) surrogatePairs++;
  return text.length - surrogatePairs;
}

/** The first `count` code points, or the whole text if it has no more. Reads no further, however long the text is. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let seen = 0; seen < count; seen++) end += isHighSurrogate(text.charCodeAt(end)) ? 2 : 1;
  return text.slice(0, end);
}
