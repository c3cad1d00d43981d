// The table of MCP tools, in the order of the interface: the operation and its effect.
import { DEFAULT_WAIT_SECONDS } from '../domain/limits.ts';
import { ackInbox } from '../operations/agents/ack-inbox.ts';
import { getInbox } from '../operations/agents/get-inbox.ts';
import { reportCompletion } from '../operations/agents/report-completion.ts';
import { reportStatus } from '../operations/agents/report-status.ts';
import { getCompletions } from '../operations/completions/get-completions.ts';
import { broadcast } from '../operations/messages/broadcast.ts';
import { sendMessage } from '../operations/messages/send-message.ts';
import { sendReply } from '../operations/messages/send-reply.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { getAllStatus } from '../operations/sessions/get-all-status.ts';
import { getSessionStatus } from '../operations/sessions/get-session-status.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { getTask } from '../operations/tasks/get-task.ts';
import { listTasks } from '../operations/tasks/list-tasks.ts';
import { reassignTask } from '../operations/tasks/reassign-task.ts';
import { retryTask } from '../operations/tasks/retry-task.ts';
import { sendAck } from '../operations/tasks/send-ack.ts';
import { sendTask } from '../operations/tasks/send-task.ts';
import { waitTask } from '../operations/tasks/wait-task.ts';

/**
 * MCP tool annotations. The protocol's defaults mean "writes, destroys, not idempotent, open world". Every hint that
 * differs is set, and destructive tools set theirs explicitly. For read-only tools, the two hints about writes have no
 * meaning.
 */
type Effect = { readOnlyHint?: true; destructiveHint?: boolean; idempotentHint?: true; openWorldHint: false };

const READS: Effect = { readOnlyHint: true, openWorldHint: false };
const ADDS: Effect = { destructiveHint: false, openWorldHint: false };
const SETTLES: Effect = { ...ADDS, idempotentHint: true };
const DESTROYS: Effect = { destructiveHint: true, openWorldHint: false };

/** The argument that makes a tool wait, and its default in seconds. */
type Waits = { argument: string; fallback: number };

export type Tool = {
  operation: AnyOperation;
  effect: Effect;
  /** Every tool accepts network_id, which must be the network of the token; only these tools list it. */
  listsNetwork?: true;
  /** Accepts `limit`, which is not listed because the result is short. */
  hidesLimit?: true;
  alwaysLoad?: true;
  waits?: Waits;
};

export const TOOLS: readonly Tool[] = [
  { operation: reportStatus, effect: SETTLES, listsNetwork: true },
  { operation: reportCompletion, effect: ADDS, listsNetwork: true },
  { operation: getInbox, effect: READS, alwaysLoad: true, waits: { argument: 'wait_seconds', fallback: 0 } },
  { operation: ackInbox, effect: SETTLES, alwaysLoad: true },

  { operation: sendTask, effect: ADDS, listsNetwork: true },
  { operation: sendMessage, effect: ADDS },
  { operation: sendReply, effect: ADDS, alwaysLoad: true },
  { operation: sendAck, effect: SETTLES },
  { operation: retryTask, effect: ADDS },
  { operation: cancelTask, effect: DESTROYS },
  { operation: reassignTask, effect: ADDS },
  { operation: waitTask, effect: READS, waits: { argument: 'timeout_seconds', fallback: DEFAULT_WAIT_SECONDS } },

  { operation: getTask, effect: READS },
  { operation: listTasks, effect: READS, listsNetwork: true },
  { operation: getAllStatus, effect: READS, listsNetwork: true, hidesLimit: true },
  { operation: getSessionStatus, effect: READS },
  { operation: getCompletions, effect: READS },

  { operation: broadcast, effect: ADDS, listsNetwork: true },
];

/** How long this call may wait; 0 if it responds immediately. */
export function waitingSeconds({ waits }: Tool, given: Readonly<Record<string, unknown>>): number {
  if (waits === undefined) return 0;
  const { [waits.argument]: seconds = waits.fallback } = given;
  return typeof seconds === 'number' ? seconds : 0;
}
