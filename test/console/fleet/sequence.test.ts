// Which messages the sequence view shows, and between which lanes.
import { describe, expect, test } from 'vitest';
import { arrowOf, chosenIn, isShown, lanesOf, listsOf, MAX_LANES } from '../../../console/fleet/sequence.ts';
import type { MessageRecord } from '../../../console/live/api.ts';
import { chatEntriesOf } from '../../../console/messages/merge.ts';
import { sequencePath } from '../../../console/routes.ts';

const AT = '2026-11-23 12:00:00';
const NOW = Date.parse('2026-11-23T12:30:00Z');

function message(from_session: string, alias: string, changes: Partial<MessageRecord> = {}): MessageRecord {
  const id = `msg_${from_session}_${alias}`;
  const rest = { priority: 'normal', content: 'hello', context: null, network_id: 'net_1', acked_at: null } as const;
  return { id, type: 'message', from_session, alias, created_at: AT, ...rest, ...changes };
}

const queryOf = (path: string) => Object.fromEntries(new URL(path, 'http://hub').searchParams);

describe('the choice in the address', () => {
  test.each([[[]], [['bob']], [['a,b', 'ü%2C', 'שלום']]])('survives for %j', (agents) => {
    expect(chosenIn(queryOf(sequencePath(agents))).agents).toEqual(agents);
  });

  test('is read without its invalid values', () => {
    expect(chosenIn({ agents: 'bob,,bob,%E0%A4%A', kind: 'parcel', span: 'hour' })).toEqual({
      agents: ['bob', '%E0%A4%A'],
      kind: undefined,
      span: 'hour',
    });
  });
});

describe('the messages', () => {
  const chosen = (query: Record<string, string>) => chosenIn(query);

  test.each([
    [{}, true],
    [{ agents: 'ada,bob' }, true],
    [{ agents: 'ada,eve' }, false],
    [{ kind: 'message' }, true],
    [{ kind: 'task' }, false],
    [{ span: 'hour' }, true],
  ])('of ada and bob with %j', (query, shown) => {
    expect(isShown(message('ada', 'bob'), chosen(query), NOW)).toBe(shown);
  });

  test('of the last hour end with the hour', () => {
    expect(isShown(message('ada', 'bob'), chosen({ span: 'hour' }), NOW + 30 * 60_000 + 1)).toBe(false);
  });

  test.each([
    ['', [{}]],
    ['bob', [{ alias: 'bob' }, { from_session: 'bob' }]],
    ['bob,eve', [{ alias: 'bob' }, { alias: 'eve' }]],
    ['1,2,3,4,5,6,7', [{}]],
  ])('of agents %j are read from %j', (agents, lists) => expect(listsOf(chosen({ agents }))).toEqual(lists));
});

describe('lanes', () => {
  test('keep their places when others join', () => {
    const before = lanesOf(chatEntriesOf([message('bob', 'eve')]), ['zoe']);
    expect(before).toEqual(['zoe', 'bob', 'eve']);
    expect(lanesOf(chatEntriesOf([message('ada', 'eve'), message('bob', 'eve')]), before)).toEqual([...before, 'ada']);
  });

  test('start with hub and the person, then those with the most messages', () => {
    const rows = [message('ada', 'bob'), message('eve', 'zoe'), message('zoe', 'eve'), message('eve', 'hub')];
    expect(lanesOf(chatEntriesOf(rows), [], ['hub', 'me'])).toEqual(['hub', 'eve', 'zoe', 'ada', 'bob']);
    expect(lanesOf(chatEntriesOf([...rows, message('bob', 'me')]), [], ['hub', 'me']).slice(0, 2)).toEqual([
      'hub',
      'me',
    ]);
  });

  test('are limited, with one for all others', () => {
    const entries = chatEntriesOf(Array.from({ length: 60 }, (_, n) => message('ada', `agent-${n}`)));
    const lanes = lanesOf(entries, []);
    expect(lanes.length).toBe(MAX_LANES);
    expect(entries.map((entry) => arrowOf(entry, lanes)).at(-1)).toMatchObject({ from: 0, to: [MAX_LANES] });
  });

  test('are joined by one arrow for a broadcast', () => {
    const copies = ['bob', 'eve', 'zoe'].map((alias) => message('eve', alias, { type: 'broadcast' }));
    const [entry, ...others] = chatEntriesOf(copies);
    expect(others).toEqual([]);
    expect(entry && arrowOf(entry, ['bob', 'eve', 'zoe'])).toEqual({ from: 1, to: [0, 1, 2], first: 0, last: 2 });
  });
});
