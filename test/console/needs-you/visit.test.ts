import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { titleOf } from '../../../console/frame/title.ts';
import { loadLanguage } from '../../../console/i18n/language.ts';
import {
  dismissKeys,
  dismissUntil,
  followVisit,
  parsedVisit,
  restoreKeys,
  visit,
} from '../../../console/needs-you/visit.ts';

beforeAll(loadLanguage);

const FIRST = '2026-03-01 12:00:00';
const LATER = '2026-03-01 13:00:00';
let stored: Map<string, string>;
let end: () => void;

beforeEach(() => {
  stored = new Map();
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
  vi.stubGlobal('window', {
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  });
  end = followVisit('usr_1', 'net_1', FIRST);
});

afterEach(() => {
  end();
  vi.unstubAllGlobals();
});

describe('what was dismissed', () => {
  test('is remembered for the user and the network', () => {
    dismissUntil(LATER);
    dismissKeys(['failed t 1']);
    expect(visitOf('usr_1', 'net_1')).toEqual({ seenAt: LATER, dismissed: ['failed t 1'], answeredAt: {} });
    expect(visitOf('usr_1', 'net_2')).toEqual({ seenAt: FIRST, dismissed: [], answeredAt: {} });
    expect(visitOf('usr_2', 'net_1')).toEqual({ seenAt: FIRST, dismissed: [], answeredAt: {} });
    expect(visitOf('usr_1', 'net_1', 'later')).toEqual({ seenAt: LATER, dismissed: ['failed t 1'], answeredAt: {} });
  });

  test('is remembered with the time of the last answer, as long as it is remembered', () => {
    dismissKeys(['answered agent blocked a', 'failed t 1'], 1_000);
    dismissKeys(['answered agent blocked a'], 2_000);
    expect(visitOf('usr_1', 'net_1').answeredAt).toEqual({ 'answered agent blocked a': 2_000 });
    dismissKeys(Array.from({ length: 2_000 }, (_, n) => `failed t${n} 1`));
    expect(visitOf('usr_1', 'net_1').answeredAt).toEqual({});
  });

  test('counts again when its need has ended', () => {
    dismissKeys(['agent blocked a']);
    dismissKeys(['failed t 1']);
    restoreKeys((key) => key.startsWith('agent'));
    expect(visitOf('usr_1', 'net_1').dismissed).toEqual(['failed t 1']);
  });

  test('is bounded; the oldest is forgotten first', () => {
    dismissKeys(Array.from({ length: 2_001 }, (_, n) => `failed t${n} 1`));
    dismissKeys(['failed t1 1']);
    expect(visit.value.dismissed).toHaveLength(2_000);
    expect([visit.value.dismissed[0], visit.value.dismissed.at(-1)]).toEqual(['failed t2 1', 'failed t1 1']);
  });

  test.each([null, '', '{', '[]', '{"seenAt":1,"dismissed":[]}', '{"seenAt":"x"}'])(
    'is nothing when the storage holds %j',
    (text) => expect(parsedVisit(text)).toBeUndefined(),
  );
});

test('the tab title starts with the number', () => {
  expect([0, 3, 120].map((n) => titleOf('Overview', n))).toEqual([
    'Overview · agenthub',
    '(3) Overview · agenthub',
    '(99+) Overview · agenthub',
  ]);
});

function visitOf(user_id: string, network_id: string, firstSeenAt = FIRST) {
  end();
  end = followVisit(user_id, network_id, firstSeenAt);
  return visit.value;
}
