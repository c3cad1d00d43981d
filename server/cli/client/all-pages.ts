// A list that comes in pages, as the one answer that it would be without them.

/** Asks until there is no `next_cursor`; `noun` is where an answer has its items. */
export async function allPages<Answer extends object>(
  noun: string,
  ask: (cursor: string | undefined) => Promise<object>,
): Promise<Answer> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { next_cursor, ...answer }: { next_cursor?: string; [member: string]: unknown } = { ...(await ask(cursor)) };
    if (Array.isArray(answer[noun])) items.push(...answer[noun]);
    cursor = next_cursor;
    // The hub's own answers have these members, so what is put together has them as well.
    if (cursor === undefined)
      return { ...answer, [noun]: items, ...('count' in answer && { count: items.length }) } as Answer;
  }
}
