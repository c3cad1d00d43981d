import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { beginSession } from '../../../console/account/account.ts';
import { loadLanguage } from '../../../console/i18n/language.ts';
import type { Agent, MessageRecord } from '../../../console/live/api.ts';
import { hubTime } from '../../../console/live/clock.ts';
import { emitLiveEvent } from '../../../console/live/live-events.ts';
import { forgetNetwork } from '../../../console/live/load.ts';
import { setAgents, setCounts } from '../../../console/live/store.ts';
import { rememberTasks } from '../../../console/live/task-pool.ts';
import { answeredKey } from '../../../console/needs-you/agent-needs.ts';
import { itemKeys } from '../../../console/needs-you/need.ts';
import { needs, needsTotal } from '../../../console/needs-you/shown-needs.ts';
import { dismissKeys } from '../../../console/needs-you/visit.ts';
import { watchNeeds } from '../../../console/needs-you/watch-needs.ts';
import { loadOldestWaiting } from '../../../console/overview/longest-waiting.ts';
import { stampOf } from '../../../console/parts/format.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';
import * as record from './records.ts';

beforeAll(loadLanguage);

const USER = { user_id: 'usr_1', username: 'ada', display_name: 'Ada', role: 'user' } as const;
const OLD_MS = 600_000;

let waiting: TaskRecord[];
let mail: MessageRecord[];
/** Responses wait for this. */
let delayed: Promise<void> | undefined;
/** Of the next request for a task. */
let isResponseLost = false;
let asked: string[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  [waiting, mail, asked, delayed] = [[], [], [], undefined];
  vi.stubGlobal('fetch', async (path: string) => {
    const { pathname, searchParams } = new URL(path, 'http://hub');
    const [alias, status] = [searchParams.get('alias'), searchParams.get('status')];
    const type = searchParams.get('type');
    if (!pathname.endsWith('/read')) asked.push([pathname, alias ?? status, type].filter((part) => part).join(' '));
    if (status === 'failed') await delayed;
    const from = searchParams.get('from_session');
    const found = mail
      .filter((each) => (from === null ? each.alias === alias : each.from_session === from))
      .filter((each) => type === null || each.type === type);
    const start = Number(searchParams.get('cursor') ?? 0);
    const end = start + Number(searchParams.get('limit') ?? Infinity);
    const messages = found.slice(start, end);
    const next = end < found.length ? { next_cursor: String(end) } : {};
    if (pathname === '/api/tasks/task_t' && isResponseLost) {
      isResponseLost = false;
      throw new TypeError('failed to fetch');
    }
    if (pathname === '/api/tasks/task_t') return responseOf({ task: waiting[0] });
    const tasks = waiting.filter((each) => each.status === status);
    return responseOf({ messages, ...next, tasks: status === 'delivered' ? tasks.slice(start, end) : tasks });
  });
  forgetNetwork();
  beginSession({ token: 'utok_x', user: USER, network_id: 'net_1' }, false);
  setAgents([]);
  setCounts([{ status: 'delivered', count: 1 }], performance.now());
  stop = watchNeeds('net_1', USER);
});

afterEach(() => {
  stop();
  forgetNetwork();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a task that looks unfetched', () => {
  test('is shown when the hub confirms it, and until it was fetched', async () => {
    waiting = [task()];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(kinds()).toEqual(['unfetched']);
    waiting = [{ ...task(), fetched_at: stampOf(hubTime()) }];
    await vi.advanceTimersByTimeAsync(30_000);
    expect(kinds()).toEqual([]);
  });

  test('does not hide the other task of its agent until the hub has confirmed it', async () => {
    waiting = [task()];
    await vi.advanceTimersByTimeAsync(2_000);
    const shown: string[][] = [];
    const end = needs.subscribe((value) => shown.push((value ?? []).flatMap(itemKeys)));
    waiting.push({ ...task(), task_id: 'another' });
    rememberTasks(waiting);
    await vi.advanceTimersByTimeAsync(10_000);
    end();
    expect(shown.every((keys) => keys.includes('unfetched t 1'))).toBe(true);
    expect(shown.at(-1)).toEqual(['unfetched t 1', 'unfetched another 1']);
  });

  test('is found behind many that were fetched, even if the overview has loaded the first of them', async () => {
    const fetched = (_: unknown, n: number) => ({ ...task(), task_id: `f${n}`, fetched_at: stampOf(hubTime()) });
    waiting = [...Array.from({ length: 120 }, fetched), task()];
    await loadOldestWaiting(50);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(kinds()).toEqual(['unfetched']);
  });

  test('is not shown when it was fetched, which has no event', async () => {
    await vi.advanceTimersByTimeAsync(10_000);
    waiting = [{ ...task(), fetched_at: stampOf(hubTime()) }];
    rememberTasks([task()]);
    const shown: unknown[] = [];
    const end = needs.subscribe((value) => shown.push(...(value ?? [])));
    await vi.advanceTimersByTimeAsync(30_000);
    end();
    expect(shown).toEqual([]);
    expect(asked.filter((path) => path === '/api/tasks delivered').length).toBeGreaterThan(1);
  });
});

describe('mail', () => {
  test('is loaded at most once per second, however many messages arrive', async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    asked = [];
    for (let n = 0; n < 100; n++) {
      emitLiveEvent({ type: 'new_message', alias: 'ada', from: 'builder', message: 'x', message_id: `m${n}` });
      await vi.advanceTimersByTimeAsync(20);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    for (const type of ['message', 'reply'])
      expect(asked.filter((path) => path === `/api/messages ada ${type}`).length).toBeLessThanOrEqual(4);
    expect(asked).toContain('/api/messages hub message');
  });

  test('is complete as far as questions are concerned, however many results are newer', async () => {
    const results = Array.from({ length: 150 }, (_, n) => ({
      ...message(`r${n}`),
      type: 'reply' as const,
      content: 'Done.',
    }));
    const questions = Array.from({ length: 120 }, (_, n) => ({ ...message(`q${n}`), from_session: `agent-${n}` }));
    mail = [...results, ...questions];
    stop();
    stop = watchNeeds('net_1', USER);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(needsTotal.value).toBe(120);
    expect(needs.value?.at(-1)).toMatchObject({ kind: 'results', isCut: true, messages: { length: 100 } });
  });

  test('of others is not loaded', async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    asked = [];
    emitLiveEvent({ type: 'new_message', alias: 'grace', from: 'builder', message: 'x', message_id: 'm1' });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).toEqual([]);
  });
});

describe('a question', () => {
  test('that the person has answered elsewhere needs nobody', async () => {
    mail = [
      message('q1'),
      message('q2'),
      { ...message('a1'), alias: 'builder', from_session: 'ada', in_reply_to: 'q1' },
    ];
    stop();
    stop = watchNeeds('net_1', USER);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(needs.value).toMatchObject([{ messages: [{ id: 'q2' }] }]);
    mail = [...mail, { ...message('a2'), alias: 'builder', from_session: 'ada', in_reply_to: 'q2' }];
    emitLiveEvent({ type: 'new_message', alias: 'builder', from: 'ada', message: 'x', message_id: 'a2' });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(needs.value).toEqual([]);
  });
});

describe('the report of a failure', () => {
  test('needs nobody when its task was sent to another agent', async () => {
    const failed = { ...task(), status: 'failed', completed_at: stampOf(hubTime()) } as const;
    mail = [{ ...message('r'), type: 'reply', status: 'failed', in_reply_to: failed.task_id }];
    rememberTasks([failed]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(kinds()).toEqual(['failed']);
    rememberTasks([{ ...task(), to_name: 'other', delivered_at: stampOf(hubTime()) }]);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(kinds()).toEqual([]);
  });
});

describe('the report of a failure whose task has succeeded since', () => {
  test.each([
    ['although the page has never seen the task', false],
    ['although the first request for the task got no response', true],
  ])('needs nobody, %s', async (_, isLost) => {
    isResponseLost = isLost;
    mail = [{ ...message('r'), type: 'reply', status: 'failed', in_reply_to: 'task_t' }];
    waiting = [{ ...task(), task_id: 'task_t', status: 'replied', completed_at: stampOf(hubTime()) }];
    emitLiveEvent({
      type: 'new_reply',
      alias: 'ada',
      from: 'builder',
      message_id: 'r',
      in_reply_to: 'task_t',
      status: 'failed',
    });
    await vi.advanceTimersByTimeAsync(isLost ? 30_000 : 6_000);
    expect(asked).toContain('/api/tasks/task_t');
    expect(kinds()).toEqual([]);
  });
});

describe('the number', () => {
  test('is unknown until all lists have loaded', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    delayed = promise;
    waiting = [task(), { ...task(), task_id: 'f', status: 'failed', completed_at: stampOf(hubTime()) }];
    mail = [message('m1')];
    setCounts(
      [
        { status: 'delivered', count: 1 },
        { status: 'failed', count: 1 },
      ],
      performance.now(),
    );
    stop();
    stop = watchNeeds('net_1', USER);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(kinds()).toEqual(['mail', 'unfetched']);
    expect(needsTotal.value).toBeNull();
    resolve();
    await vi.advanceTimersByTimeAsync(10);
    expect(kinds()).toEqual(['mail', 'failed', 'unfetched']);
    expect(needsTotal.value).toBe(3);
  });

  test('leaves out answered agents', async () => {
    const answered = agent('answered');
    setAgents([answered, agent('other')]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(needsTotal.value).toBe(2);
    dismissKeys([answeredKey('agent blocked answered', answered)]);
    expect(needsTotal.value).toBe(1);
    expect(needs.value).toHaveLength(2);
  });
});

describe('browser notifications', () => {
  let shown: [title: string, body: string | undefined][];

  beforeEach(() => {
    shown = [];
    const values = new Map([['agenthub.notifications', 'on']]);
    const getItem = (key: string) => values.get(key) ?? null;
    const setItem = (key: string, value: string) => values.set(key, value);
    vi.stubGlobal('window', { localStorage: { getItem, setItem } });
    vi.stubGlobal('isSecureContext', true);
    vi.stubGlobal('document', { hidden: true, addEventListener() {}, removeEventListener() {} });
    const request = (_: string, run: () => Promise<void>) => run();
    vi.stubGlobal('navigator', { locks: { request, query: async () => ({ held: [] }) } });
    vi.stubGlobal(
      'Notification',
      class {
        static permission = 'granted';
        constructor(title: string, { body }: NotificationOptions) {
          shown.push([title, body]);
        }
      },
    );
  });

  test('announce a message that joins the others of its sender', async () => {
    mail = ['m1', 'm2', 'm3', 'm4'].map(message);
    await receive();
    expect(needs.value).toHaveLength(1);
    shown = [];
    for (const id of ['m5', 'm6']) {
      mail = [...mail, message(id)];
      await receive();
      await receive();
    }
    expect(shown).toEqual([
      ['builder', '5 unread messages: Question m5'],
      ['builder', '6 unread messages: Question m6'],
    ]);
  });

  test('beyond the rate limit become one summary, which names the needs', async () => {
    await receive();
    for (let n = 0; n < 10; n++) {
      mail = [...mail, { ...message(`m${n}`), from_session: `agent-${n}` }];
      await receive();
    }
    expect(shown.map(([title]) => title)).toEqual([
      ...[0, 1, 2, 3, 4, 5].map((n) => `agent-${n}`),
      '7 items need your attention',
    ]);
    expect(shown.at(-1)?.[1]).toBe('agent-6');
  });

  async function receive(): Promise<void> {
    emitLiveEvent({ type: 'new_message', alias: 'ada', from: 'builder', message: 'x', message_id: 'm' });
    await vi.advanceTimersByTimeAsync(3_000);
  }
});

function agent(alias: string): Agent {
  const at = stampOf(hubTime());
  const nothing = { agent: null, model: null, task: null, progress: null };
  const times = { last_seen_at: at, last_progress_at: at, status_since: at };
  return { ...nothing, ...times, alias, resume_id: alias, status: 'blocked', network_id: 'net_1' };
}

function message(id: string): MessageRecord {
  return record.message(id, { content: `Question ${id}`, created_at: stampOf(hubTime()) });
}

/** Resolves without a turn of the event loop, whose timers are not real. */
const responseOf = (body: object) => ({ ok: true, json: async () => body });

const kinds = () => needs.value?.map(({ kind }) => kind);

function task(): TaskRecord {
  const sent = stampOf(hubTime() - OLD_MS);
  return record.task('t', { created_at: sent, delivered_at: sent, expires_at: stampOf(hubTime() + 10 * OLD_MS) });
}
