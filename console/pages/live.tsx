// The live page: what every agent does and how every task stands, moving by itself.
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { words } from '../i18n/language.ts';
import { loadNetwork, showTasks } from '../load.ts';
import { AgentPanel } from '../parts/agent-panel.tsx';
import { Notice } from '../parts/notice.tsx';
import { SendTask } from '../parts/send-task.tsx';
import { TaskPanel } from '../parts/task-panel.tsx';
import { useTitle } from '../parts/title.ts';
import { AGENT_STATUSES, statusNamed, TASK_STATUSES } from '../statuses.ts';
import { isStale, loadFailed } from '../store.ts';

export function LivePage() {
  const { query } = useLocation();
  const agentStatus = statusNamed(AGENT_STATUSES, query['agents']);
  const taskStatus = statusNamed(TASK_STATUSES, query['tasks']);
  useTitle(words.value.live.title);
  useEffect(() => void showTasks(taskStatus), [taskStatus]);
  return (
    <div class="live" data-stale={isStale.value}>
      <h1 class="off-screen">{words.value.live.title}</h1>
      {loadFailed.value && <LoadFailed />}
      <AgentPanel status={agentStatus} tasks={taskStatus} />
      <TaskPanel status={taskStatus} agents={agentStatus} />
      <SendTask />
    </div>
  );
}

function LoadFailed() {
  const { live } = words.value;
  return (
    <Notice tone="error">
      {live.failed}{' '}
      <button type="button" class="link" onClick={loadNetwork}>{live.tryAgain}</button>
    </Notice>
  );
}
