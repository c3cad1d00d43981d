// Fetches every page of a list and returns them as a single response.

/** Requests pages until there is no `next_cursor`. `noun` is the member that holds the items. */
export async function allPages<Answer extends object>(
  noun: string,
  fetchPage: (cursor: string | undefined) => Promise<object>,
): Promise<Answer> {
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page: { next_cursor?: string; [member: string]: unknown } = { ...(await fetchPage(cursor)) };
    const { next_cursor, ...answer } = page;
    if (Array.isArray(answer[noun])) items.push(...answer[noun]);
    cursor = next_cursor;
    // The merged response has the same members as a single page from the hub.
    if (cursor === undefined)
      return { ...answer, [noun]: items, ...('count' in answer && { count: items.length }) } as Answer;
  }
}
