// Shows a text as it was written until the code that formats it has loaded. For dialogs, which the first page contains.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AgentText } from './agent-text.tsx';

const loaded = signal<typeof AgentText | null>(null);

export function LaterText(props: { text: string; label: string }) {
  useEffect(() => {
    void import('./agent-text.tsx').then(
      (module) => (loaded.value = module.AgentText),
      () => {},
    );
  }, []);
  const Text = loaded.value;
  return Text === null ? <p class="prose">{props.text}</p> : <Text {...props} isInList />;
}
