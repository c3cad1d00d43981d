// Agents that send each other tasks, start them, report progress and settle them, at a constant rate.
import { setTimeout as pause } from 'node:timers/promises';
import { callTool } from '../bench/hub.ts';
import type { Program } from '../support/program.ts';

export type Traffic = {
  latestTask(): string;
  /** Returns the number of tasks sent. */
  stop(): Promise<number>;
};

const START_MS = 400;
const WORK_MS = 1_200;
const REPORT_MS = 3_000;
/** One task in this many fails. */
const FAILURE = 25;
const DETAILS =
  'The parser accepts a trailing comma that the grammar refuses; add a test, fix it, and describe what else is affected.\n';
const RESULT = `## Done

The parser refuses a **trailing comma** as \`grammar.md\` says:

- [x] a test for each kind of list
- [x] \`parse()\` reports the position
- [ ] older files, see https://example.com/changes/17

\`\`\`ts
export function parse(text: string): Tree {
  if (text.endsWith(',')) throw new SyntaxError('trailing comma');
  return treeOf(tokensOf(text));
}
\`\`\`
`;

export async function startTraffic(
  hub: Program,
  token: string,
  { rate, agents }: { rate: number; agents: number },
): Promise<Traffic> {
  const call = (name: string, args: object) => callTool(hub, token, name, args);
  const open = new Set<Promise<void>>();
  let sent = 0;
  let latest = '';
  let failure: unknown;

  async function work(number: number): Promise<void> {
    const [from, to] = [`agent-${(number + 1) % agents}`, `agent-${number % agents}`];
    const task = `Review change ${number}\n${DETAILS.repeat(3)}`;
    const task_id = idOf(await call('send_task', { alias: to, task, from_session: from }));
    latest = task_id;
    await pause(START_MS);
    await call('send_ack', { task_id });
    await pause(WORK_MS);
    const status = number % FAILURE === 0 ? 'failed' : 'replied';
    const text = `# Change ${number}\n\n${RESULT}`;
    await call('send_reply', { alias: from, text, in_reply_to: task_id, from_session: to, status });
  }

  async function reportAll(at: number): Promise<void> {
    for (let agent = 0; agent < agents; agent += 1)
      await call('report_status', {
        resume_id: `agent-${agent}`,
        alias: `agent-${agent}`,
        status: 'working',
        task: `Review change ${sent}`,
        progress: at % 100,
      });
  }

  const run = (started: Promise<void>) => {
    const watched = started.catch((error: unknown) => void (failure ??= error)).finally(() => open.delete(watched));
    open.add(watched);
  };
  await reportAll(0);
  const startedAt = performance.now();
  // Catches up after a delay, so that the rate holds on a busy machine.
  const sending = setInterval(() => {
    while (sent < ((performance.now() - startedAt) / 1_000) * rate) run(work((sent += 1)));
  }, 1_000 / rate);
  let reports = 0;
  const reporting = setInterval(() => run(reportAll((reports += 1))), REPORT_MS);
  return {
    latestTask: () => latest,
    stop: async () => {
      clearInterval(sending);
      clearInterval(reporting);
      await Promise.all(open);
      if (failure !== undefined) throw failure;
      return sent;
    },
  };
}

function idOf(sent: unknown): string {
  return typeof sent === 'object' && sent !== null && 'task_id' in sent ? String(sent.task_id) : '';
}
