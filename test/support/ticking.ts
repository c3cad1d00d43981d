// A monotonic clock that advances with each reading, so that measured work seems to take this long.
export function ticking(milliseconds: number): () => number {
  let elapsed = 0;
  return () => (elapsed += milliseconds);
}
