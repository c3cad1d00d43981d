// The state of a session whose client sends hook events: whether its agent has new mail, up to which message mail was
// mentioned to it, and its last report. A mention counts when the next event of the session shows that the client
// passed it on; otherwise the mail is mentioned again. What was passed on is also stored, since sessions outlive the
// hub.
import { hash } from 'node:crypto';
import type { Moment } from '../domain/hooks/moments.ts';
import { HEARTBEAT_DELAY_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';

/** After this time without an event, a turn may have been interrupted: clients do not report that. */
const QUIET_TURN_MS = 2 * MINUTE_MS;

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

/** What happened to a session at one hub. */
export type Act =
  | ['arrive', occasion: Occasion, now: Millis, isExtension: boolean | null]
  | ['told', occasion: Occasion | null, upTo: number, quoted: number | null]
  | ['overlap']
  | ['report', digest: string, at: Millis]
  | ['forget report'];
export type Tell = (...act: Act) => void;
/** `follow` takes what happened at another hub, which stores what follows from it. */
export type OpenSession = HookSession & { follow(act: Act): void };

type Others = {
  tell: Tell;
  toldElsewhere: () => number;
  isAlone: () => boolean;
  isOtherInTurn: (now: Millis) => boolean;
  isEarlierInTurn: (now: Millis) => boolean;
};

export function openSession({ tell, toldElsewhere, isAlone, isOtherInTurn, isEarlierInTurn }: Others): OpenSession {
  let hasOverlapped = false;
  let isNews = true;
  let upTo = 0;
  let isRecalled = false;
  let told: number | undefined;
  let pending: { occasion: Occasion; upTo: number; quoted: number | null } | undefined;
  let read: number[] = [];
  let extensions = 0;
  let isEnded = false;
  let isWorking = false;
  let lastEventAt: Millis = 0;
  let last: { digest: string; at: Millis } | undefined;
  /** Returns what the client has passed on. */
  const arrive = (occasion: Occasion, now: Millis, isExtension: boolean | null): typeof pending => {
    if (occasion !== 'wake') {
      isEnded = occasion === 'session end';
      isWorking = occasion === 'prompt' || isTool(occasion);
      lastEventAt = now;
    }
    if (occasion === 'prompt' ? isExtension !== true : occasion === 'turn end' && isExtension === false) extensions = 0;
    // A waiter runs parallel to its session and does not know what the session has passed on.
    if (pending === undefined || (occasion === 'wake' && pending.occasion !== 'wake')) return undefined;
    const mentioned = pending;
    pending = undefined;
    if (!isPassedOn(mentioned.occasion, occasion, isExtension)) {
      isNews = true;
      return undefined;
    }
    upTo = Math.max(upTo, mentioned.upTo);
    return mentioned;
  };
  const mention = (occasion: Occasion | null, end: number, quoted: number | null): void => {
    if (occasion === null) upTo = Math.max(upTo, end);
    else pending = { occasion, upTo: end, quoted };
    if (occasion !== 'turn end') return;
    extensions++;
    isWorking = true;
  };
  return {
    arrive: (occasion, now, isExtension) => {
      const passedOn = arrive(occasion, now, isExtension ?? null);
      tell('arrive', occasion, now, isExtension ?? null);
      if (passedOn === undefined) return;
      told = upTo;
      if (passedOn.quoted !== null && isAlone()) read.push(passedOn.quoted);
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
    told: (occasion, end, quoted) => {
      mention(occasion ?? null, end, quoted ?? null);
      if (occasion !== undefined) tell('told', occasion, end, quoted ?? null);
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
      if (isFirst) tell('overlap');
      hasOverlapped ||= isFirst;
      return isFirst;
    },
    hasEnded: () => isEnded,
    isReportDue: (report, now) => {
      const digest = hash('sha256', report, 'base64'); // of up to 24 kB, which would be kept for each session
      if (last?.digest === digest && now - last.at < HEARTBEAT_DELAY_MS) return false;
      last = { digest, at: now };
      tell('report', digest, now);
      return true;
    },
    forgetReport: () => {
      last = undefined;
      tell('forget report');
    },
    follow: (act) => {
      if (act[0] === 'arrive') arrive(act[1], act[2], act[3]);
      else if (act[0] === 'told') mention(act[1], act[2], act[3]);
      else if (act[0] === 'overlap') hasOverlapped = true;
      else last = act[0] === 'report' ? { digest: act[1], at: act[2] } : undefined;
    },
  };
}

/**
 * A text at the end of a turn extends the turn, so a prompt of the person, or another end without extension, shows that
 * the text was lost. So does a new waiter whose session did nothing since the last one told it about mail.
 */
function isPassedOn(mentionedAt: Occasion, next: Occasion, isExtension: boolean | null): boolean {
  if (mentionedAt === 'wake') return next !== 'wake' || isExtension !== false;
  if (mentionedAt !== 'turn end' || next === 'interruption' || isTool(next)) return true;
  return next === 'turn end' ? isExtension !== false : isExtension === true;
}

function isTool(occasion: Occasion): boolean {
  return occasion === 'tool' || occasion === 'failed tool';
}
