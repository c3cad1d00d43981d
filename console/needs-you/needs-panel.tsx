// The panel of everything that waits for a person, most urgent first. While the pointer or the focus is in it, rows
// keep their places: new ones wait, and settled ones stay without their actions.
import { computed, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { account } from '../account/account.ts';
import { later } from '../frame/later.tsx';
import { words } from '../i18n/language.ts';
import { now } from '../live/clock.ts';
import { Panel } from '../overview/panel.tsx';
import { Age } from '../parts/age.tsx';
import { useFreeze, useFrozenRows } from '../parts/freeze.ts';
import { Icon } from '../parts/icon.tsx';
import { NewItems } from '../parts/new-items.tsx';
import { agentNeedOf, isFailure, type Need, type NeedKind } from './need.ts';
import { dismissFailures, NeedActs } from './need-acts.tsx';
import { needAsked } from './need-asked.ts';
import { listPath, needPath, needReason, needSubject, needTitle, SIGNS } from './need-text.ts';
import { focusFirstNeed, NEEDS_ID, needs, needsTotal } from './watch-needs.ts';

const width = signal(innerWidth);
addEventListener('resize', () => (width.value = innerWidth));
/** The number of rows until the user shows all. */
const firstShown = computed(() => (width.value < 1_100 ? 6 : width.value < 1_900 ? 10 : 16));
const MAX_SHOWN = 100;

const NeedDialog = later(async () => (await import('../pages.ts')).NeedDialog);

type Row = { need: Need; isSettled: boolean };

export function NeedsPanel() {
  const { needsYou } = words.value;
  const { ref, isFrozen } = useFreeze<HTMLDivElement>();
  const all = needs.value ?? [];
  const { rows, waiting, showWaiting } = useHeldRows(all, isFrozen.value);
  const isExpanded = useSignal(false);
  useFocusFromLink();
  const expand = () => {
    isExpanded.value = true;
    dropFocus();
  };
  const shown = rows.slice(0, isExpanded.value ? MAX_SHOWN : firstShown.value);
  const total = needsTotal.value;
  return (
    <div ref={ref} class="needs" data-empty={rows.length === 0}>
      <Panel id={NEEDS_ID} title={needsYou.title} total={total || undefined} actions={<DismissFailures all={all} />}>
        <NewItems n={waiting} onShow={showWaiting} text={needsYou.fresh} />
        {rows.length === 0 && <p class="needs-none">{total === null ? words.value.loading : needsYou.none}</p>}
        <ul class="short-list">
          {shown.map(({ need, isSettled }) => (
            <NeedRow key={need.key} need={need} isSettled={isSettled} />
          ))}
        </ul>
        {total !== null && <More rows={rows} n={shown.length} isExpanded={isExpanded.value} expand={expand} />}
      </Panel>
      {needAsked.value !== null && <NeedDialog asked={needAsked.value} />}
    </div>
  );
}

const keyOf = ({ need }: Row) => need.key;

function useHeldRows(all: readonly Need[], isFrozen: boolean) {
  const renders = useSignal(0);
  const isReleased = useRef(false);
  const held = useRef<readonly Row[]>([]);
  void renders.value;
  const current = all.map((need) => ({ need, isSettled: false }));
  const settled = held.current.map(({ need }) => ({ need, isSettled: true }));
  // An empty list has nothing to keep in place.
  const isHeld = isFrozen && !isReleased.current && held.current.length > 0;
  const { rows, waiting } = useFrozenRows(current, keyOf, isHeld, [...settled, ...current]);
  isReleased.current = false;
  held.current = rows;
  const showWaiting = () => {
    isReleased.current = true;
    dropFocus();
    renders.value += 1;
  };
  return { rows, waiting, showWaiting };
}

/** If a focused button disappeared, the list would stay frozen. */
function dropFocus(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** The link in the top bar leads to the first row. */
function useFocusFromLink(): void {
  useEffect(() => {
    if (location.hash !== `#${NEEDS_ID}`) return;
    const timer = setTimeout(focusFirstNeed);
    return () => clearTimeout(timer);
  }, []);
}

function NeedRow({ need, isSettled }: Row) {
  const { icon, tone } = SIGNS[agentNeedOf(need)?.kind ?? need.kind];
  const isDone = isSettled || ('agent' in need && need.isAnswered);
  return (
    <li class="short-row need" data-status={tone} data-kind={need.kind} data-settled={isDone}>
      <Icon name={isDone ? 'check' : icon} />
      <div class="need-text">
        <div class="need-head">
          <a class="row-link" href={needPath(need)} dir="auto">
            {needTitle(need)}
          </a>
          <span class="need-subject" dir="auto">
            {needSubject(need)}
          </span>
        </div>
        <p class="need-reason">{isSettled ? words.value.needsYou.done : <Reason need={need} />}</p>
      </div>
      <Age of={need.since} />
      {!isSettled && <NeedActs need={need} />}
    </li>
  );
}

const TIMED: readonly NeedKind[] = ['stuck', 'expiring', 'unfetched'];

/** A separate component, so that the clock updates only this text. */
function Reason({ need }: { need: Need }) {
  return <>{needReason(need, TIMED.includes(need.kind) ? now.value : 0)}</>;
}

function DismissFailures({ all }: { all: readonly Need[] }) {
  const failures = all.filter(isFailure);
  if (failures.length < 2) return null;
  const dismiss = () => {
    dropFocus();
    void dismissFailures(failures);
  };
  return (
    <button type="button" class="button button-small button-quiet" onClick={dismiss}>
      {words.value.needsYou.dismissFailures}
    </button>
  );
}

type MoreProps = { rows: readonly Row[]; n: number; isExpanded: boolean; expand(): void };

function More({ rows, n, isExpanded, expand }: MoreProps) {
  const { needsYou } = words.value;
  const next = rows[n];
  if (next === undefined) return null;
  return isExpanded ? (
    <a class="button panel-more" href={listPath(next.need, account.value?.user.username ?? '')}>
      {needsYou.more(rows.length - n)}
    </a>
  ) : (
    <button type="button" class="button panel-more" onClick={expand}>
      {needsYou.showAll(rows.length)}
    </button>
  );
}
