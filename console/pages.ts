// All pages but the first, the dialogs of every page, and the demo, in one bundle: parts that share most of their code
// compress twice as well together.
import profile from './account/profile-page.tsx';
import tokens from './account/tokens-page.tsx';
import admin from './admin/admin-page.tsx';
import agent from './agents/agent-page.tsx';
import agents from './agents/agents-page.tsx';
import connect from './connect/connect-page.tsx';
import { DemoPanel } from './demo/demo-panel.tsx';
import search from './find/search-page.tsx';
import sequence from './fleet/sequence-page.tsx';
import { Overlays } from './frame/overlays.tsx';
import message from './messages/message-page.tsx';
import messages from './messages/messages-page.tsx';
import { NeedDialog } from './needs-you/need-dialog.tsx';
import network from './networks/network-page.tsx';
import networks from './networks/networks-page.tsx';
import task from './tasks/task-page.tsx';
import tasks from './tasks/tasks-page.tsx';

export { removeDemo, restartDemo, resumeDemo, startDemo } from './demo/demo.ts';
export { DemoPanel, NeedDialog, Overlays };

export const pages = {
  agents,
  agent,
  tasks,
  task,
  messages,
  message,
  search,
  sequence,
  networks,
  network,
  tokens,
  connect,
  profile,
  admin,
};
