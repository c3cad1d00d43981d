// The demo: a network of its own with two agents that live in this tab. Removing it deletes that network, and with it
// everything the agents did; the browser keeps its id, so that a demo left behind can be found and removed later.
import { computed, effect, signal } from '@preact/signals';
import { account, chooseNetwork } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { createNetwork, createToken, deleteNetwork, showNetwork } from '../live/api.ts';
import { loadNetworks } from '../live/load.ts';
import { RequestError } from '../live/request.ts';
import { forget, keep, recall } from '../live/storage.ts';
import { leaveNetwork } from '../networks/leave-network.ts';
import { build, type Life, plan, sayGoodbye } from './agents.ts';
import { endElsewhere, leave, livesElsewhere, settleHere } from './one-tab.ts';
import { demoNetwork, demoPlace, keepPlace, ownNetwork } from './place.ts';
import { toolCaller } from './tool-call.ts';

const TOKEN = 'agenthub.demo.token';
const TOKEN_DAYS = 1;
const ATTEMPTS = 3;

const isAlive = signal(false);

export const demoState = computed(() =>
  demoNetwork.value === undefined ? 'none' : isAlive.value ? 'running' : livesElsewhere.value ? 'elsewhere' : 'paused',
);

let life: AbortController | undefined;
let lived: Promise<unknown> = Promise.resolve();

export async function startDemo(): Promise<void> {
  const { demo } = words.value;
  const { network_id } = await createNetwork({ name: demo.network, description: demo.goal });
  keepPlace(network_id);
  await reviveDemo();
  await loadNetworks();
  chooseNetwork(network_id);
}

/** Gives the agents a token and life, unless they live in another tab. */
export async function reviveDemo(): Promise<void> {
  if (!(await settleHere(endLife))) return;
  const { token } = await createToken({
    name: words.value.demo.network,
    network_id: demoPlace.value,
    expires_in_days: TOKEN_DAYS,
  });
  keep('sessionStorage', TOKEN, token);
  live(token);
}

/** After a reload of the tab they lived in, they go on where they were; a duplicate of that tab leaves them there. */
export async function resumeDemo(): Promise<void> {
  const token = recall('sessionStorage', TOKEN);
  if (token === null || demoPlace.value === '') return;
  if (await settleHere(endLife)) live(token);
  else forget('sessionStorage', TOKEN);
}

function live(token: string): void {
  if (life !== undefined) return;
  const ending = new AbortController();
  life = ending;
  isAlive.value = true;
  const own = lifeOf(token, ending.signal);
  lived = Promise.allSettled([build(own), plan(own)]).then(() => {
    if (life === ending) endLife();
  });
}

function lifeOf(token: string, signal: AbortSignal): Life {
  return {
    call: toolCaller(token, signal),
    rest: (milliseconds) => restOf(milliseconds, signal),
    isOver: () => signal.aborted,
  };
}

function restOf(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function endLife(): void {
  life?.abort();
  leave();
  life = undefined;
  isAlive.value = false;
  forget('sessionStorage', TOKEN);
}

// Who signs out takes the demo agents along.
effect(() => {
  if (account.value === null) endLife();
});

/** Answers how many agents that are not of the demo keep its network alive; 0 when it is gone. */
export async function removeDemo(): Promise<number> {
  const network_id = demoPlace.value;
  endLife();
  endElsewhere();
  await lived;
  // Nobody should be looking at what is about to be gone.
  if (ownNetwork.value !== undefined) chooseNetwork(ownNetwork.value.network_id);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await goOffline(network_id);
    if (await tryToDelete(network_id)) return forgetDemo(network_id);
  }
  return (await showNetwork(network_id)).stats.sessions.online;
}

/** A deleted network takes its tokens with it, this one too. */
async function goOffline(network_id: string): Promise<void> {
  const { token } = await createToken({ name: words.value.demo.network, network_id, expires_in_days: TOKEN_DAYS });
  await sayGoodbye(lifeOf(token, new AbortController().signal));
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
  keepPlace('');
  await leaveNetwork(network_id);
  return 0;
}
