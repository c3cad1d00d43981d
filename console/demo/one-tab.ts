// Ensures that the demo agents run in one tab of the browser. A tab asks the others before it starts them. When two
// tabs start at the same time, one gives up.
import { signal } from '@preact/signals';
import { demoNetworkId } from './demo-network.ts';

type TabMessage = { kind: 'who' | 'here' | 'gone' | 'end'; network_id: string; tab: number; since: number };

const RESPONSE_MS = 250;

const channel = new BroadcastChannel('agenthub.demo');
const tab = Math.random();

/** The agents run in another tab. */
export const runsElsewhere = signal(false);

let isHere = false;
let since = Infinity;
let end = () => {};

channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
  if (data.network_id !== demoNetworkId.value) return;
  if (data.kind === 'who' && isHere) send('here');
  if (data.kind === 'here') onOtherTab(data);
  if (data.kind === 'gone') runsElsewhere.value = false;
  if (data.kind === 'end' && isHere) end();
};

/**
 * Of two tabs, the one that has run the agents longer continues. When both started at the same time, the lower number
 * wins.
 */
function onOtherTab(other: TabMessage): void {
  if (isHere && (since < other.since || (since === other.since && tab < other.tab))) return void send('here');
  runsElsewhere.value = true;
  if (isHere) end();
}

addEventListener('pagehide', releaseTab);

function send(kind: TabMessage['kind']): void {
  channel.postMessage({ kind, network_id: demoNetworkId.value, tab, since } satisfies TabMessage);
}

/** Claims the agents for this tab, unless another tab runs them. Calls `onEnd` when this tab has to stop them. */
export async function claimTab(onEnd: () => void): Promise<boolean> {
  if (await checkOtherTabs()) return false;
  isHere = true;
  since = performance.timeOrigin + performance.now();
  end = onEnd;
  send('here');
  return true;
}

/** Whether another tab runs the agents. Resolves as soon as one responds. */
export async function checkOtherTabs(): Promise<boolean> {
  runsElsewhere.value = false;
  send('who');
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, RESPONSE_MS);
    const stop = runsElsewhere.subscribe((runs) => runs && done());
    function done(): void {
      clearTimeout(timer);
      queueMicrotask(() => stop());
      resolve();
    }
  });
  return runsElsewhere.value;
}

/** Releases the agents in this tab. */
export function releaseTab(): void {
  if (isHere) send('gone');
  isHere = false;
}

/** Stops the agents in whichever tab runs them. */
export function stopOtherTab(): void {
  if (runsElsewhere.value) send('end');
  runsElsewhere.value = false;
}
