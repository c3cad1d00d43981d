// The messages of a conversation as a list to export, newest first, merged from its sides.
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { account } from '../account/account.ts';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { listMessages, type MessageRecord } from '../live/api.ts';
import { network } from '../live/store.ts';
import { type Between, type Side, sidesOf } from './conversation.ts';

const COLUMNS = ['id', 'type', 'priority', 'from_session', 'alias', 'created_at', 'acked_at', 'task_id', 'in_reply_to'];

export function messagesToExport(between: Between): ExportList {
  return {
    name: 'messages',
    of: network.value?.network_name ?? '',
    columns: [...COLUMNS, 'status', 'content', 'context'],
    pages: (signal) => newestFirst(sidesOf(between).map((side) => pagesOfSide(side, signal))),
  };
}

function pagesOfSide(side: Side, signal: AbortSignal): AsyncGenerator<readonly MessageRecord[]> {
  const network_id = account.value?.network_id;
  return pagesOf(signal, async (cursor) => {
    const page = await listMessages({ ...side, network_id, limit: MAX_REST_LIMIT, cursor }, signal);
    return { rows: page.messages, next: page.next_cursor };
  });
}

type Pages = AsyncGenerator<readonly MessageRecord[]>;

/** Holds back messages older than the loaded part of a side, because newer ones of that side may follow. */
export async function* newestFirst(sides: readonly Pages[]): AsyncGenerator<readonly MessageRecord[]> {
  const open = new Map<Pages, string>(sides.map((side) => [side, '~']));
  const seen = new Set<string>();
  let held: MessageRecord[] = [];
  while (open.size > 0) {
    const [side] = [...open].reduce((one, other) => (other[1] > one[1] ? other : one));
    const { value: rows, done } = await side.next();
    if (done === true) open.delete(side);
    else {
      open.set(side, rows.at(-1)?.created_at ?? open.get(side) ?? '');
      held.push(...rows.filter(({ id }) => !seen.has(id)));
      for (const { id } of rows) seen.add(id);
    }
    const from = [...open.values()].reduce((one, other) => (other > one ? other : one), '');
    held = held.toSorted(byTime);
    yield held.filter(({ created_at }) => created_at > from);
    held = held.filter(({ created_at }) => created_at <= from);
  }
}

function byTime(one: MessageRecord, other: MessageRecord): number {
  return one.created_at < other.created_at ? 1 : one.created_at > other.created_at ? -1 : 0;
}
