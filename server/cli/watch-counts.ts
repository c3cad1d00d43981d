// The line that counts agents and tasks, cut to the width of the terminal.
import { TASK_STATUSES, type TaskStatus } from '../domain/task.ts';
import { coloured } from './output.ts';
import { terminalWidth, widthOf } from './text-width.ts';

export type Counts = { sessions: { total: number; online: number; offline: number }; tasks: { total: number } & Record<TaskStatus, number> };

export function countsLine({ sessions, tasks }: Counts, width = terminalWidth()): string {
  const parts: [plain: string, shown: string][] = [
    [`agents: ${sessions.online} online`, `agents: ${coloured('idle', `${sessions.online} online`)}`],
    part(sessions.offline, 'offline'),
    [`| tasks: ${tasks.total}`, `| tasks: ${tasks.total}`],
    ...TASK_STATUSES.map((status) => part(tasks[status], status)),
  ];
  let room = width;
  return parts.filter(([plain]) => plain !== '' && (room -= widthOf(plain) + 1) > 0).map(([, shown]) => shown).join(' ');
}

// What is nought is not worth its room.
function part(count: number, state: TaskStatus | 'offline'): [plain: string, shown: string] {
  const plain = count === 0 ? '' : `${count} ${state}`;
  return [plain, coloured(state, plain)];
}
