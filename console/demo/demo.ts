// The demo: a separate network with two agents that run in this tab. Removing the demo deletes the network and
// everything in it. The browser stores the network id, so that an abandoned demo can be found and removed later.
import { computed, effect, signal } from '@preact/signals';
import { account, chooseNetwork } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { createNetwork, createToken, deleteNetwork, showNetwork } from '../live/api.ts';
import { loadNetworks } from '../live/load.ts';
import { RequestError } from '../live/request.ts';
import { readStored, removeStored, writeStored } from '../live/storage.ts';
import { leaveNetwork } from '../networks/leave-network.ts';
import { build, type DemoRun, plan, reportOffline } from './agents.ts';
import { demoNetwork, demoNetworkId, ownNetwork, storeDemoNetworkId } from './demo-network.ts';
import { claimTab, releaseTab, runsElsewhere, stopOtherTab } from './one-tab.ts';
import { toolCaller } from './tool-call.ts';

const TOKEN = 'agenthub.demo.token';
const TOKEN_DAYS = 1;
const ATTEMPTS = 3;

const isRunning = signal(false);

export const demoState = computed(() =>
  demoNetwork.value === undefined ? 'none' : isRunning.value ? 'running' : runsElsewhere.value ? 'elsewhere' : 'paused',
);

let run: AbortController | undefined;
let finished: Promise<unknown> = Promise.resolve();

export async function startDemo(): Promise<void> {
  const { demo } = words.value;
  const { network_id } = await createNetwork({ name: demo.network, description: demo.description });
  storeDemoNetworkId(network_id);
  await restartDemo();
  await loadNetworks();
  chooseNetwork(network_id);
}

/** Creates a token and starts the agents, unless they run in another tab. */
export async function restartDemo(): Promise<void> {
  if (!(await claimTab(stopAgents))) return;
  const { token } = await createToken({
    name: words.value.demo.network,
    network_id: demoNetworkId.value,
    expires_in_days: TOKEN_DAYS,
  });
  writeStored('sessionStorage', TOKEN, token);
  startAgents(token);
}

/** Resumes the agents after a reload of their tab. A duplicate of that tab does not start them. */
export async function resumeDemo(): Promise<void> {
  const token = readStored('sessionStorage', TOKEN);
  if (token === null || demoNetworkId.value === '') return;
  if (await claimTab(stopAgents)) startAgents(token);
  else removeStored('sessionStorage', TOKEN);
}

function startAgents(token: string): void {
  if (run !== undefined) return;
  const ending = new AbortController();
  run = ending;
  isRunning.value = true;
  const own = runOf(token, ending.signal);
  finished = Promise.allSettled([build(own), plan(own)]).then(() => {
    if (run === ending) stopAgents();
  });
}

function runOf(token: string, signal: AbortSignal): DemoRun {
  return {
    call: toolCaller(token, signal),
    sleep: (milliseconds) => sleepOf(milliseconds, signal),
    isOver: () => signal.aborted,
  };
}

function sleepOf(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

function stopAgents(): void {
  run?.abort();
  releaseTab();
  run = undefined;
  isRunning.value = false;
  removeStored('sessionStorage', TOKEN);
}

// Signing out stops the demo agents.
effect(() => {
  if (account.value === null) stopAgents();
});

/** Returns the number of other agents that keep the network active, or 0 when it was deleted. */
export async function removeDemo(): Promise<number> {
  const network_id = demoNetworkId.value;
  stopAgents();
  stopOtherTab();
  await finished;
  // Switches to another network before this one is deleted.
  if (ownNetwork.value !== undefined) chooseNetwork(ownNetwork.value.network_id);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await goOffline(network_id);
    if (await tryToDelete(network_id)) return forgetDemo(network_id);
  }
  return (await showNetwork(network_id)).stats.sessions.online;
}

/** Deleting a network revokes its tokens, including the demo token. */
async function goOffline(network_id: string): Promise<void> {
  const { token } = await createToken({ name: words.value.demo.network, network_id, expires_in_days: TOKEN_DAYS });
  await reportOffline(runOf(token, new AbortController().signal));
}

async function tryToDelete(network_id: string): Promise<boolean> {
  try {
    await deleteNetwork(network_id);
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.code === 'network_has_active_sessions') return false;
    throw error;
  }
}

async function forgetDemo(network_id: string): Promise<0> {
  storeDemoNetworkId('');
  await leaveNetwork(network_id);
  return 0;
}
