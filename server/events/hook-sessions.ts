// The sessions whose clients send hook events, by agent and network. Memory is bounded: beyond a number of sessions,
// the network with the most of them loses its least recently active agent, whose sessions continue from what is stored
// when they return. Hubs on one database tell each other what happens to a session, whose events may reach any of them.
import type { Broker } from './broker.ts';
import type { Exchange } from './exchange.ts';
import { type Act, type HookSession, type OpenSession, openSession, type Tell } from './hook-session.ts';

export type HookSessions = {
  of(networkId: string, alias: string, sessionId: string): HookSession;
  /** Takes note of a write that follows its response. Returns it if its network has too many of them to go on. */
  defer(networkId: string, write: Promise<void>): Promise<void> | undefined;
};

/** The session of waiters that belong to none: for them, mail is new if no session was told about it. */
export const ANY_SESSION = '';

/** The least recently active session, agent and network come first. */
type Agent = { sessions: Map<string, OpenSession>; forget: () => void };
type Network = { agents: Map<string, Agent>; sessions: number };

/** A session takes up to 3 kB. */
const MAX_SESSIONS = 20_000;
export const SESSIONS_OF_AGENT = 20;
const DEFERRED_WRITES_OF_NETWORK = 16;

export function openHookSessions(broker: Broker, exchange: Exchange, maxSessions = MAX_SESSIONS): HookSessions {
  const networks = new Map<string, Network>();
  const deferred = new Map<string, number>();
  let total = 0;

  const count = (networkId: string, change: number): number => {
    const left = (deferred.get(networkId) ?? 0) + change;
    if (left === 0) deferred.delete(networkId);
    else deferred.set(networkId, left);
    return left;
  };
  const add = (network: Network, sessions: number): void => {
    network.sessions += sessions;
    total += sessions;
  };
  const evict = (): void => {
    const [id, network] = [...networks].reduce((most, each) => (each[1].sessions > most[1].sessions ? each : most));
    const [oldest] = network.agents;
    if (oldest === undefined) return;
    const [alias, { sessions, forget }] = oldest;
    network.agents.delete(alias);
    forget();
    add(network, -sessions.size);
    if (network.agents.size === 0) networks.delete(id);
  };
  const sessionOf = (network: Network, agent: Agent, sessionId: string, tell: Tell): OpenSession =>
    latest(agent.sessions, sessionId, () => {
      const [oldest] = agent.sessions.keys();
      if (agent.sessions.size >= SESSIONS_OF_AGENT && oldest !== undefined) agent.sessions.delete(oldest);
      else add(network, 1);
      const earlier = othersOf(agent, sessionId);
      return openSession({
        toldElsewhere: sessionId === ANY_SESSION ? () => toldToAny(agent) : () => 0,
        isAlone: () => hasNoOther(agent, sessionId),
        isOtherInTurn: (now) => othersOf(agent, sessionId).some((other) => other.isInTurn(now)),
        isEarlierInTurn: (now) => earlier.some((other) => other.isInTurn(now)),
        tell,
      });
    });
  const of = (networkId: string, alias: string, sessionId: string): OpenSession => {
    const network = latest(networks, networkId, () => ({ agents: new Map(), sessions: 0 }));
    const agent = latest(network.agents, alias, () => openAgent(broker, networkId, alias));
    const session = sessionOf(network, agent, sessionId, (...act) => tell(networkId, alias, sessionId, ...act));
    if (total > maxSessions) evict();
    return session;
  };
  const tell = exchange.share('hook_sessions', (networkId: string, alias: string, sessionId: string, ...act: Act) =>
    of(networkId, alias, sessionId).follow(act),
  );

  return {
    defer: (networkId, write) => {
      const ended = write.finally(() => count(networkId, -1));
      return count(networkId, 1) > DEFERRED_WRITES_OF_NETWORK ? ended : undefined;
    },
    of,
  };
}

/** Returns the value of the key, which becomes the latest one. A map keeps insertion order. */
function latest<Value>(map: Map<string, Value>, key: string, open: () => Value): Value {
  const value = map.get(key) ?? open();
  map.delete(key);
  map.set(key, value);
  return value;
}

function openAgent(broker: Broker, networkId: string, alias: string): Agent {
  const sessions = new Map<string, OpenSession>();
  const forget = broker.subscribe({ networks: [networkId], inbox: alias }, () => {
    for (const session of sessions.values()) session.keepNews();
  });
  return { sessions, forget };
}

function toldToAny({ sessions }: Agent): number {
  const told = Array.from(sessions, ([id, session]) => (id === ANY_SESSION ? 0 : session.toldUpTo()));
  return Math.max(0, ...told);
}

function hasNoOther(agent: Agent, sessionId: string): boolean {
  return othersOf(agent, sessionId).every((session) => session.hasEnded());
}

function othersOf({ sessions }: Agent, sessionId: string): HookSession[] {
  return [...sessions].flatMap(([id, session]) => (id === sessionId || id === ANY_SESSION ? [] : [session]));
}
