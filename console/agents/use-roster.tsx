// The rows of the agents, kept current while a page shows them.
import { signal, useComputed } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { useAddress } from '../frame/address.ts';
import { now } from '../live/clock.ts';
import { refreshAgents } from '../live/load.ts';
import { agents, taskCounts } from '../live/store.ts';
import { useFreeze, useFrozenRows } from '../parts/freeze.ts';
import { useTaskList } from '../tasks/list/recent-lists.ts';
import { recentProgress } from './recent-progress.ts';
import { type RosterRow, rosterOf, sortNamed, sortRows } from './roster.ts';

const MAX_RUNNING = 100;
/** Whether an agent is stuck is checked at this interval. */
const TICK_MS = 10_000;
/** Heartbeats alone cause no event, so the last ones are read at this interval. */
const REFRESH_MS = 20_000;

/** Ordered by name; null until loaded. */
export function useRoster(): readonly RosterRow[] | null {
  const all = agents.value;
  const moment = useComputed(() => Math.floor(now.value / TICK_MS) * TICK_MS).value;
  useEffect(() => {
    void refreshAgents();
    const timer = setInterval(() => document.hidden || void refreshAgents(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const progress = useMemo(() => recentProgress(moment), [moment, running.value]);
  return useMemo(() => all && rosterOf(all, running.value, progress, moment), [all, progress]);
}

const running = signal<readonly TaskRecord[]>([]);

/** Loads the running tasks for the rows of a page, if there are any. */
export function RunningTasks() {
  return (taskCounts.value?.running ?? 0) > 0 ? <LoadedTasks /> : null;
}

function LoadedTasks() {
  const { rows } = useTaskList({ status: 'running' }, MAX_RUNNING);
  useEffect(() => void (running.value = rows.value ?? []), [rows.value]);
  useEffect(() => () => void (running.value = []), []);
  return null;
}

/**
 * The matching rows in the order of the address. They hold still while the pointer or the focus is in them, unless the
 * user sorts or filters them.
 */
export function useHeldRows(all: readonly RosterRow[], matches: (row: RosterRow) => boolean) {
  const { sort } = useAddress().query;
  const { ref, isFrozen } = useFreeze<HTMLDivElement>();
  const isOther = [useChanged(sort), useChanged(matches)].includes(true);
  const found = useMemo(() => sortRows(all.filter(matches), sortNamed(sort)), [all, matches, sort]);
  const { rows, waiting } = useFrozenRows(found, keyOf, isFrozen.value && !isOther, all);
  return { ref, rows, waiting, showWaiting: () => (isFrozen.value = false) };
}

const keyOf = ({ agent }: RosterRow) => agent.resume_id;

/** Whether the value has changed since the last render. */
function useChanged(value: unknown): boolean {
  const before = useRef(value);
  const isChanged = before.current !== value;
  before.current = value;
  return isChanged;
}
