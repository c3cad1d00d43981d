// The connect page: create a token, configure a client, wait for the first report, send the first task. The client and
// the alias are part of the address.
import type { Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { account, freshToken, isNewcomer } from '../account/account.ts';
import { demoNetwork } from '../demo/demo-network.ts';
import { DemoPanel } from '../demo/demo-panel.tsx';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import { agents, mayWrite, network } from '../live/store.ts';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PATHS } from '../routes.ts';
import { Configure } from './configure.tsx';
import { FirstTask } from './first-task.tsx';
import { NewNetworkToken } from './new-network-token.tsx';
import { StalledReport } from './stalled.tsx';
import { Step } from './step.tsx';
import { forgetSteps, stepsTaken } from './steps-taken.ts';

const FIRST_ALIAS = 'worker-1';

export default function Connect() {
  const { connect } = words.value;
  useEffect(() => () => void (isNewcomer.value = false), []);
  const user = account.value?.user;
  const name = network.value?.network_name;
  return (
    <div class="page page-connect">
      <PageHead
        title={isNewcomer.value ? connect.welcome(user?.display_name || user?.username || '') : connect.title}
      />
      <p class="page-lead">{name === undefined ? connect.leadWithoutName : connect.lead(name)}</p>
      {!mayWrite.value && <Notice tone="warning">{connect.readOnly}</Notice>}
      <div class="connect-columns" data-demo={demoNetwork.value !== undefined}>
        {/* Another network has other agents, so the steps restart. */}
        <Steps key={account.value?.network_id} />
        <DemoPanel />
      </div>
    </div>
  );
}

function Steps() {
  const { query } = useAddress();
  const alias = query['alias'] ?? FIRST_ALIAS;
  const taken = stepsTaken();
  const reported = useFirstReport(alias, taken.reported);
  return (
    <ol class="guide">
      <NewNetworkToken />
      <Configure alias={alias} isConnected={reported !== ''} />
      <FirstReport alias={reported} />
      <FirstTask reported={reported} />
      {taken.task_id.value !== '' && (
        <li class="guide-again">
          <button type="button" class="button" onClick={forgetSteps}>
            <Icon name="plus" />
            {words.value.connect.another}
          </button>
        </li>
      )}
    </ol>
  );
}

/** Keeps the alias of a new agent, of an agent that was offline, or of the agent being waited for. */
function useFirstReport(wanted: string, first: Signal<string>): string {
  // After the steps are forgotten, the agents known at that moment do not count as new.
  const before = useMemo<{ agents?: ReadonlyMap<string, Agent> }>(() => ({}), [first.value === '']);
  if (agents.value !== null) before.agents ??= new Map(agents.value.map((agent) => [agent.alias, agent]));
  const reported = agents.value?.find((agent) => hasReported(agent, before.agents?.get(agent.alias), wanted));
  // The result stays after the agent goes offline again, and after a reload.
  const alias = first.value || reported?.alias || '';
  useEffect(() => void (first.value = alias), [alias]);
  return alias;
}

function hasReported(agent: Agent, before: Agent | undefined, wanted: string): boolean {
  if (agent.status === 'offline') return false;
  if (before === undefined || before.status === 'offline') return true;
  return agent.alias === wanted && (agent.last_seen_at !== before.last_seen_at || agent.status !== before.status);
}

function FirstReport({ alias }: { alias: string }) {
  const { connect } = words.value;
  const isThere = alias !== '';
  return (
    <Step number={3} title={connect.stepReport} state={isThere ? 'done' : 'open'}>
      <div class="first-report" data-connected={isThere}>
        <p class="first-report-text" role="status">
          {isThere ? <Icon name="check" /> : <span class="dot" />}
          <bdi>{isThere ? connect.connected(alias) : connect.waiting}</bdi>
        </p>
        {isThere ? (
          <a class="button" href={PATHS.overview}>
            {words.value.frame.toOverview}
          </a>
        ) : (
          <span class="field-hint">{connect.waitingHint}</span>
        )}
      </div>
      {!isThere && <StalledReport key={freshToken.value} />}
    </Step>
  );
}
