// Starts, shows and removes the demo.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { chooseNetwork } from '../account/account.ts';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { errorText } from '../live/error-texts.ts';
import { Notice } from '../parts/notice.tsx';
import { PATHS } from '../routes.ts';
import { demoState, removeDemo, restartDemo, startDemo } from './demo.ts';
import { demoNetwork, demoNetworkId } from './demo-network.ts';
import { checkOtherTabs } from './one-tab.ts';

type DemoAction = 'start' | 'resume' | 'remove';

export function DemoPanel() {
  const { demo } = words.value;
  const { route } = useLocation();
  const busy = useSignal<DemoAction | null>(null);
  const problem = useSignal<string | null>(null);

  /** Runs one action at a time and shows why it failed. */
  async function attempt(action: DemoAction, work: () => Promise<string | undefined>): Promise<void> {
    if (busy.value !== null) return;
    busy.value = action;
    problem.value = null;
    try {
      const done = await work();
      if (done !== undefined) showToast({ text: done });
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      busy.value = null;
    }
  }

  const start = () =>
    attempt('start', async () => {
      await startDemo();
      route(PATHS.overview);
      return demo.started;
    });
  const resume = () =>
    attempt('resume', async () => {
      await restartDemo();
      return demo.started;
    });
  const remove = () =>
    attempt('remove', async () => {
      const others = await removeDemo();
      if (others > 0) problem.value = demo.otherAgentsOnline(others);
      return others > 0 ? undefined : demo.removed;
    });
  const state = demoState.value;
  // A tab that crashed sends no message, so the panel checks whether it still responds.
  useEffect(() => void (state === 'paused' && checkOtherTabs()), [state === 'none', demoNetworkId.value]);
  return (
    <section class="card demo" aria-labelledby="demo-title" data-state={state}>
      <h2 id="demo-title">{demo[TEXTS[state].head]}</h2>
      <p class="card-lead">{demo[TEXTS[state].lead]}</p>
      {problem.value !== null && <Notice tone="error">{problem.value}</Notice>}
      <div class="button-row">
        {state === 'none' && (
          <Button
            label={busy.value === 'start' ? demo.starting : demo.start}
            busy={busy.value !== null}
            onClick={start}
          />
        )}
        {state === 'paused' && (
          <Button
            label={busy.value === 'resume' ? demo.starting : demo.resume}
            busy={busy.value !== null}
            onClick={resume}
          />
        )}
        {(state === 'running' || state === 'elsewhere') && <Watch />}
        {state !== 'none' && (
          <Button
            label={busy.value === 'remove' ? demo.removing : demo.remove}
            busy={busy.value !== null}
            onClick={remove}
          />
        )}
      </div>
      <p class="field-hint">{demo.removalNote}</p>
    </section>
  );
}

const TEXTS = {
  none: { head: 'title', lead: 'text' },
  running: { head: 'runningTitle', lead: 'runningText' },
  elsewhere: { head: 'runningTitle', lead: 'elsewhereText' },
  paused: { head: 'pausedTitle', lead: 'pausedText' },
} as const;

function Button({ label, busy, onClick }: { label: string; busy: boolean; onClick(): void }) {
  return (
    <button type="button" class="button" aria-disabled={busy} onClick={onClick}>
      {label}
    </button>
  );
}

function Watch() {
  const { demo } = words.value;
  const network_id = demoNetwork.value?.network_id ?? '';
  return (
    <a class="button button-primary" href={PATHS.overview} onClick={() => chooseNetwork(network_id)}>
      {demo.watch}
    </a>
  );
}
