// State per session whose client sends hook events: whether its agent has new mail, up to which message mail was
// mentioned to it, and its last report. A mention counts when the next event of the session shows that the client
// passed it on; otherwise the mail is mentioned again. What was passed on is also stored, since sessions outlive the
// hub. Memory is bounded: beyond a number of sessions, the network with the most of them loses its least recently
// active agent, whose sessions continue from what is stored when they return.
import { hash } from 'node:crypto';
import type { Moment } from '../domain/hooks/moments.ts';
import { HEARTBEAT_DELAY_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import type { Broker } from './broker.ts';

/** What a session does: a moment of its turn, or its waiter asks for mail. */
export type Occasion = Moment | 'wake';

export type HookSession = {
  /** Takes note of an event. `isExtension` tells whether a hook has extended the turn, if the client knows. */
  arrive(occasion: Occasion, now: Millis, isExtension?: boolean): void;
  /** Whether a turn is running, at whose end the session is told by itself. */
  isInTurn(now: Millis): boolean;
  /** Whether a turn of another session of the agent is running. */
  isOtherInTurn(now: Millis): boolean;
  /** Returns true once, if a turn of a session that the agent had before this one is running. */
  takeOverlap(now: Millis): boolean;
  /** Returns whether mail may have arrived since the last call, and resets it. */
  takeNews(): boolean;
  /** Takes back the last call, because the mail could not be read. */
  keepNews(): void;
  toldUpTo(): number;
  /** Whether `recall` has been called. */
  isRecalled(): boolean;
  /** Takes the number up to which the session was told according to the database. */
  recall(upTo: number): void;
  /**
   * Mail up to this number was mentioned on this occasion; on none if there was nothing to mention. `quoted` is the
   * number of an item that the mention contains.
   */
  told(occasion: Occasion | undefined, upTo: number, quoted?: number): void;
  /**
   * The items that the client has passed on whole since the last call, so that nobody has to fetch them. None while
   * another session of the agent goes on, which has to be told about them as well.
   */
  takeRead(): readonly number[];
  /** The number up to which the client has passed mentions on, if it has changed since the last call. */
  takeTold(): number | undefined;
  /** How often in a row hooks have extended the turn. */
  extensions(): number;
  hasEnded(): boolean;
  /** Whether this report must be stored: it differs from the last one, or the last one is 15 seconds old. */
  isReportDue(report: string, now: Millis): boolean;
  /** Discards the last report because it was not stored, so that the next one is. */
  forgetReport(): void;
};

export type HookSessions = {
  of(networkId: string, alias: string, sessionId: string): HookSession;
  /** Takes note of a write that follows its response. Returns it if its network has too many of them to go on. */
  defer(networkId: string, write: Promise<void>): Promise<void> | undefined;
};

/** The session of waiters that belong to none: for them, mail is new if no session was told about it. */
export const ANY_SESSION = '';

/** The least recently active session, agent and network come first. */
type Agent = { sessions: Map<string, HookSession>; forget: () => void };
type Network = { agents: Map<string, Agent>; sessions: number };

/** A session takes up to 3 kB. */
const MAX_SESSIONS = 20_000;
export const SESSIONS_OF_AGENT = 20;
const DEFERRED_WRITES_OF_NETWORK = 16;
/** After this time without an event, a turn may have been interrupted: clients do not report that. */
const QUIET_TURN_MS = 2 * MINUTE_MS;

export function openHookSessions(broker: Broker, maxSessions = MAX_SESSIONS): HookSessions {
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
  const sessionOf = (network: Network, agent: Agent, sessionId: string): HookSession =>
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
      });
    });

  return {
    defer: (networkId, write) => {
      const ended = write.finally(() => count(networkId, -1));
      return count(networkId, 1) > DEFERRED_WRITES_OF_NETWORK ? ended : undefined;
    },
    of: (networkId, alias, sessionId) => {
      const network = latest(networks, networkId, () => ({ agents: new Map(), sessions: 0 }));
      const agent = latest(network.agents, alias, () => openAgent(broker, networkId, alias));
      const session = sessionOf(network, agent, sessionId);
      if (total > maxSessions) evict();
      return session;
    },
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
  const sessions = new Map<string, HookSession>();
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

type Others = {
  toldElsewhere: () => number;
  isAlone: () => boolean;
  isOtherInTurn: (now: Millis) => boolean;
  isEarlierInTurn: (now: Millis) => boolean;
};

function openSession({ toldElsewhere, isAlone, isOtherInTurn, isEarlierInTurn }: Others): HookSession {
  let hasOverlapped = false;
  let isNews = true;
  let upTo = 0;
  let isRecalled = false;
  let told: number | undefined;
  let pending: { occasion: Occasion; upTo: number; quoted: number | undefined } | undefined;
  let read: number[] = [];
  let extensions = 0;
  let isEnded = false;
  let isWorking = false;
  let lastEventAt: Millis = 0;
  let last: { digest: string; at: Millis } | undefined;
  return {
    arrive: (occasion, now, isExtension) => {
      if (occasion !== 'wake') {
        isEnded = occasion === 'session end';
        isWorking = occasion === 'prompt' || isTool(occasion);
        lastEventAt = now;
      }
      if (occasion === 'prompt' ? isExtension !== true : occasion === 'turn end' && isExtension === false)
        extensions = 0;
      // A waiter runs parallel to its session and does not know what the session has passed on.
      if (pending === undefined || (occasion === 'wake' && pending.occasion !== 'wake')) return;
      if (isPassedOn(pending.occasion, occasion, isExtension)) {
        upTo = Math.max(upTo, pending.upTo);
        told = upTo;
        if (pending.quoted !== undefined && isAlone()) read.push(pending.quoted);
      } else isNews = true;
      pending = undefined;
    },
    takeNews: () => {
      const taken = isNews;
      isNews = false;
      return taken;
    },
    keepNews: () => (isNews = true),
    isRecalled: () => isRecalled,
    recall: (stored) => {
      upTo = Math.max(upTo, stored);
      isRecalled = true;
    },
    toldUpTo: () => Math.max(upTo, pending?.upTo ?? 0, toldElsewhere()),
    told: (occasion, last, quoted) => {
      if (occasion === undefined) upTo = Math.max(upTo, last);
      else pending = { occasion, upTo: last, quoted };
      if (occasion !== 'turn end') return;
      extensions++;
      isWorking = true;
    },
    takeRead: () => {
      const taken = read;
      read = [];
      return taken;
    },
    takeTold: () => {
      const taken = told;
      told = undefined;
      return taken;
    },
    extensions: () => extensions,
    isInTurn: (now) => isWorking && now - lastEventAt < QUIET_TURN_MS,
    isOtherInTurn,
    takeOverlap: (now) => {
      const isFirst = !hasOverlapped && isEarlierInTurn(now);
      hasOverlapped ||= isFirst;
      return isFirst;
    },
    hasEnded: () => isEnded,
    isReportDue: (report, now) => {
      const digest = hash('sha256', report, 'base64'); // of up to 24 kB, which would be kept for each session
      if (last?.digest === digest && now - last.at < HEARTBEAT_DELAY_MS) return false;
      last = { digest, at: now };
      return true;
    },
    forgetReport: () => (last = undefined),
  };
}

/**
 * A text at the end of a turn extends the turn, so a prompt of the person, or another end without extension, shows that
 * the text was lost. So does a new waiter whose session did nothing since the last one told it about mail.
 */
function isPassedOn(mentionedAt: Occasion, next: Occasion, isExtension: boolean | undefined): boolean {
  if (mentionedAt === 'wake') return next !== 'wake' || isExtension !== false;
  if (mentionedAt !== 'turn end' || next === 'interruption' || isTool(next)) return true;
  return next === 'turn end' ? isExtension !== false : isExtension === true;
}

function isTool(occasion: Occasion): boolean {
  return occasion === 'tool' || occasion === 'failed tool';
}
