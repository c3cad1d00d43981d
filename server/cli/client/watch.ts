// watch: follows the network live, one line per event. On a terminal, the last line counts agents and tasks. After the
// hub restarts, it reconnects and prints the events it missed.
import { TASK_STATUSES, type TaskStatus } from '../../domain/task-status.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { colored, jsonText, note, say, withOwnStyles, zonedMembers } from '../output.ts';
import { terminalWidth, widthOf } from '../text-width.ts';
import { networkHub } from './access/access.ts';
import type { HubOptions } from './access/hub-options.ts';
import type { HubClient } from './hub-client.ts';
import { followEvents, type HubEvent } from './hub-events.ts';
import { openDescriber } from './watch-lines.ts';

export type WatchOptions = HubOptions & { output: 'lines' | 'json' };

export async function watch({ output, ...options }: WatchOptions): Promise<void> {
  const leaving = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort());
  const hub = await networkHub(options);
  const screen = openScreen(hub, output === 'lines' && process.stdout.isTTY);
  const linesOf = output === 'json' ? jsonLine : openDescriber();
  for await (const event of followEvents(hub, '/events', leaving.signal)) {
    if (event.type === 'resync') note('some missed events are no longer available; continuing live');
    screen.show(event.type === 'heartbeat' ? undefined : linesOf(event));
  }
  screen.close();
}

function jsonLine(event: HubEvent): string {
  return jsonText(zonedMembers(event));
}

/** Prints lines and, below them, the counts. Events refresh the counts, at most once a second. */
function openScreen(hub: HubClient, hasCounts: boolean) {
  let counts = '';
  let askedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const ask = async (): Promise<void> => {
    timer = undefined;
    askedAt = systemClock.now();
    const answer = await hub.get<Counts>('/api/stats').catch(() => undefined);
    if (answer !== undefined) counts = withOwnStyles(oneLine(countsLine(answer)));
    draw();
  };
  const askSoon = (): void => {
    timer ??= setTimeout(() => void ask(), Math.max(0, askedAt + SECOND_MS - systemClock.now()));
  };
  const draw = (line?: string): void => {
    process.stdout.write(`\r\x1b[K${line === undefined ? '' : `${withOwnStyles(line)}\n`}${counts}`);
  };

  if (!hasCounts)
    return { show: (line: string | undefined) => void (line !== undefined && say(line)), close: () => {} };
  return {
    show: (line: string | undefined) => {
      draw(line);
      askSoon();
    },
    close: () => {
      clearTimeout(timer);
      process.stdout.write('\n');
    },
  };
}

type Counts = {
  sessions: { total: number; online: number; offline: number };
  tasks: { total: number } & Record<TaskStatus, number>;
};

const USUAL_WIDTH = 80;

/** Counts of agents and tasks, cut to the width of the terminal. */
function countsLine({ sessions, tasks }: Counts, width = terminalWidth() ?? USUAL_WIDTH): string {
  const parts: [plain: string, shown: string][] = [
    [`agents: ${sessions.online} online`, `agents: ${colored('idle', `${sessions.online} online`)}`],
    part(sessions.offline, 'offline'),
    [`| tasks: ${tasks.total}`, `| tasks: ${tasks.total}`],
    ...TASK_STATUSES.map((status) => part(tasks[status], status)),
  ];
  let room = width;
  return parts
    .filter(([plain]) => plain !== '' && (room -= widthOf(plain) + 1) > 0)
    .map(([, shown]) => shown)
    .join(' ');
}

// Omits a count of 0.
function part(count: number, state: TaskStatus | 'offline'): [plain: string, shown: string] {
  const plain = count === 0 ? '' : `${count} ${state}`;
  return [plain, colored(state, plain)];
}
