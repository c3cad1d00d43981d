// Shortens a failing story: removes every action without which hub and model still differ.
const MAX_TRIES = 400;

/** `fails` reports whether a story still fails. Returns the shortest one found. */
export async function shortest<StoryStep>(
  story: readonly StoryStep[],
  fails: (shorter: readonly StoryStep[]) => Promise<boolean>,
): Promise<readonly StoryStep[]> {
  let found = story;
  let tries = 0;
  for (let size = Math.ceil(story.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < found.length && tries < MAX_TRIES; tries++) {
      const shorter = [...found.slice(0, start), ...found.slice(start + size)];
      if (await fails(shorter)) found = shorter;
      else start += size;
    }
  }
  return found;
}
