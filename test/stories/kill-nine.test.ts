// The hub is killed during its work and restarted on the same data, repeatedly. Everything acknowledged is there once.
// Everything else is there at most once. `npm run trust` does the same, a thousand times with --long.
import { expect, test } from 'vitest';
import { killNine } from '../../scripts/trust/storage/kill-nine.ts';
import { emptyLedger, type Ledger } from '../support/mixed-load.ts';
import { storyOnce } from '../support/process/running-hub.ts';
import { complaintsOf, type Shown } from '../support/store/ledger-audit.ts';
import { expectKept, TRIAL_MS } from '../support/trials.ts';

storyOnce('kill -9 under load', (target) => {
  const title = `${killNine.amounts.least} times, and again while it starts: nothing acknowledged is lost, nothing comes twice`;
  test(title, { timeout: TRIAL_MS }, () => expectKept(killNine, { target }));
});

test('a broken promise is detected', () => {
  const kept = { ledger: ledgerOf({}), shown: shownOf({}) };
  expect(complaintsOf(kept.ledger, kept.shown)).toEqual([]);
  const delivered = { task_id: 't1', content: 'work', status: 'delivered' };
  const replied = { ...delivered, status: 'replied', result: 'done' };
  const broken: [Partial<Ledger>, Partial<Shown>][] = [
    [{ tasks: new Map([['t1', 'work']]) }, {}],
    [
      { tasks: new Map([['t1', 'work']]) },
      { tasks: [{ ...delivered, content: 'wor' }], workInboxes: [{ id: 't1', task_id: 't1' }] },
    ],
    [{ messages: new Map([['m1', 'hello']]) }, {}],
    [{ replies: new Map([['t1', 'done']]) }, { tasks: [delivered], workInboxes: [{ id: 't1', task_id: 't1' }] }],
    [
      { steered: new Map([['t1', 'cancelled bob 1']]) },
      { steered: [{ task_id: 't1', status: 'delivered', to_name: 'bob', attempt: 1 }] },
    ],
    [{ received: new Set(['t1']) }, {}],
    [{ acked: new Set(['t1']) }, { tasks: [delivered], workInboxes: [{ id: 't1', task_id: 't1' }] }],
    [
      {},
      {
        tasks: [delivered],
        workInboxes: [
          { id: 't1', task_id: 't1' },
          { id: 'm9', task_id: 't1' },
        ],
      },
    ],
    [{}, { tasks: [delivered] }],
    [{}, { tasks: [replied] }],
    [
      {},
      {
        mailbox: [
          { id: 'm1', content: 'hello' },
          { id: 'm2', content: 'hello' },
        ],
      },
    ],
  ];
  for (const [ledger, shown] of broken) expect(complaintsOf(ledgerOf(ledger), shownOf(shown))).not.toEqual([]);
});

function ledgerOf(entries: Partial<Ledger>): Ledger {
  return { ...emptyLedger('r'), ...entries };
}

function shownOf(records: Partial<Shown>): Shown {
  return { tasks: [], steered: [], workInboxes: [], replies: [], mailbox: [], ...records };
}
