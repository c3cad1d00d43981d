// Says why a step of the connect page makes no progress, and how to continue.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account, freshToken } from '../account/account.ts';
import { language, words } from '../i18n/language.ts';
import { listTokens, type WhyFacts, whyTask } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { Copyable } from '../parts/copy.tsx';
import { age, momentOf } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { WhyText } from '../tasks/why-sentence.tsx';
import { useHubUrl } from './hub-url.ts';
import { stepsTaken } from './steps-taken.ts';

const STALLED_MS = 10_000;

/** Checks every 10 seconds while the step has not been taken. */
function useLooks(look: () => Promise<void>): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || void look().catch(() => {}), STALLED_MS);
    return () => clearInterval(timer);
  }, []);
}

/** Empty if no token has been used. */
type LastUse = string | null;

export function StalledReport() {
  const { stalled } = words.value.connect;
  const hub = useHubUrl();
  const found = useSignal<{ lastUse: LastUse } | null>(null);
  useLooks(async () => void (found.value = { lastUse: await lastUseOfToken() }));
  if (found.value === null) return null;
  const { lastUse } = found.value;
  return (
    <Notice tone="info">
      {lastUse === null && stalled.noToken}
      {lastUse === '' && words.value.task.whyText.all([stalled.unused(hub), ...(isLocal(hub) ? [stalled.local] : [])])}
      {lastUse && stalled.silent(age(momentOf(lastUse), hubTime(), language.value))}
    </Notice>
  );
}

/** Of the tokens for this network; null if the page shows no token and the user has not created one here. */
async function lastUseOfToken(): Promise<LastUse> {
  if (freshToken.value === null && stepsTaken().token.value === '') return null;
  const { tokens } = await listTokens({ limit: 100 });
  const own = tokens.filter(({ network_id }) => network_id === account.value?.network_id);
  return (
    own
      .map(({ last_used_at }) => last_used_at ?? '')
      .sort()
      .at(-1) ?? ''
  );
}

function isLocal(hub: string): boolean {
  return /^(localhost|127\.|0\.0\.0\.0|\[::1?\])/.test(new URL(hub).hostname);
}

/** For a task that no agent has started. */
export function StalledTask({ task }: { task: TaskRecord }) {
  const { connect } = words.value;
  const facts = useSignal<WhyFacts | null>(null);
  useLooks(async () => {
    facts.value = (await whyTask(task.task_id, { network_id: task.network_id })).facts;
  });
  if (facts.value === null) return null;
  return (
    <>
      <Notice tone="info">
        <WhyText task={task} facts={facts.value} /> {connect.stalled.task}
      </Notice>
      <Copyable text={connect.prompt(task.to_name)} what={connect.promptLabel} />
    </>
  );
}
