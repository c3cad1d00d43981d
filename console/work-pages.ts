// The pages of daily work and the dialogs of every page, in one bundle: parts that share most of their code compress
// twice as well together.
import agent from './agents/agent-page.tsx';
import agents from './agents/agents-page.tsx';
import search from './find/search-page.tsx';
import sequence from './fleet/sequence-page.tsx';
import { Overlays } from './frame/overlays.tsx';
import message from './messages/message-page.tsx';
import messages from './messages/messages-page.tsx';
import { NeedDialog } from './needs-you/need-dialog.tsx';
import task from './tasks/task-page.tsx';
import tasks from './tasks/tasks-page.tsx';

export { NeedDialog, Overlays };

export const workPages = { agents, agent, tasks, task, messages, message, search, sequence };
