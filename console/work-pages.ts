// The pages of daily work, in one bundle: pages that share most of their code compress twice as well together.
import agent from './agents/agent-page.tsx';
import agents from './agents/agents-page.tsx';
import sequence from './fleet/sequence-page.tsx';
import messages from './messages/messages-page.tsx';
import task from './tasks/task-page.tsx';
import tasks from './tasks/tasks-page.tsx';

export { FiguresPanel } from './fleet/figures.tsx';

export const workPages = { agents, agent, tasks, task, messages, sequence };
