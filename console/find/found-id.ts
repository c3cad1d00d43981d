// Finds what a pasted ID refers to.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import { showMessage, showTask } from '../live/api.ts';
import { RequestError } from '../live/request.ts';
import { networks } from '../live/store.ts';
import { headline } from '../parts/format.ts';
import { type FoundId, idIn } from './ids.ts';

/** `title` is known once the hub has found it. */
export type NamedById = FoundId & { title?: string; status?: TaskStatus; isMissing?: boolean };

/** Undefined for a text that is not an ID. The page of an ID can be opened before the hub has responded. */
export function useNamedById(text: string): NamedById | undefined {
  const named = useSignal<NamedById | undefined>(undefined);
  const found = idIn(text);
  useEffect(() => {
    if (found === undefined) return undefined;
    let isOver = false;
    lookUp(found).then(
      (more) => isOver || (named.value = { ...found, ...more }),
      (error: unknown) => {
        const isMissing = error instanceof RequestError && error.status === 404;
        if (!isOver) named.value = { ...found, isMissing };
      },
    );
    return () => void (isOver = true);
  }, [found?.id]);
  return found && (named.value?.id === found.id ? named.value : found);
}

async function lookUp({ kind, id }: FoundId): Promise<Pick<NamedById, 'title' | 'status'>> {
  const query = { network_id: account.value?.network_id };
  if (kind === 'task') {
    const { task } = await showTask(id, query);
    return { title: headline(task.content), status: task.status };
  }
  if (kind === 'message') return { title: headline((await showMessage(id, query)).message.content) };
  const known = networks.value.find(({ network_id }) => network_id === id);
  return known === undefined ? {} : { title: known.network_name };
}
