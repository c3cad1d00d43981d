// The panel of everything that waits for a person, most urgent first.
import { computed, signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { account } from '../account/account.ts';
import { later } from '../frame/later.tsx';
import { words } from '../i18n/language.ts';
import { now } from '../live/clock.ts';
import { Panel } from '../overview/panel.tsx';
import { Age } from '../parts/age.tsx';
import { useFreeze } from '../parts/freeze.ts';
import { Icon } from '../parts/icon.tsx';
import { NewItems } from '../parts/new-items.tsx';
import { type Row, useHeldRows } from './held-rows.ts';
import { agentNeedOf, isFailure, itemKeys, type Need, type NeedKind } from './need.ts';
import { dismissFailures, NeedActs } from './need-acts.tsx';
import { needAsked } from './need-asked.ts';
import { needOutcome } from './need-outcome.ts';
import { listPath, needPath, needReason, needSubject, needTitle, SIGNS } from './need-text.ts';
import { dismissalKeys } from './needs.ts';
import { dismissedNeeds, focusFirstNeed, NEEDS_ID, needs, needsTotal } from './shown-needs.ts';
import { restoreKeys } from './visit.ts';

const width = signal(innerWidth);
addEventListener('resize', () => (width.value = innerWidth));
/** The number of rows until the user shows all. */
const firstShown = computed(() => (width.value < 1_100 ? 6 : width.value < 1_900 ? 10 : 16));
const MAX_SHOWN = 100;

const NeedDialog = later(async () => (await import('../pages.ts')).NeedDialog);

export function NeedsPanel() {
  const { needsYou } = words.value;
  const { ref, isFrozen } = useFreeze<HTMLDivElement>('.page');
  const all = needs.value ?? [];
  const { rows, waiting, show } = useHeldRows(needs.value, isFrozen.value);
  const isExpanded = useSignal(false);
  useFocusFromLink();
  const shown = rows.slice(0, endOf(rows, isExpanded.value ? MAX_SHOWN : firstShown.value));
  const firstHidden = useRef(0);
  const expand = () => {
    firstHidden.current = shown.length;
    isExpanded.value = true;
  };
  useEffect(() => {
    if (isExpanded.value) ref.current?.querySelectorAll<HTMLElement>('.row-link')[firstHidden.current]?.focus();
  }, [isExpanded.value]);
  const showWaiting = () => {
    dropFocus();
    show();
  };
  const total = needsTotal.value;
  return (
    <div
      ref={ref}
      class="needs"
      // The dialog of a row closes on Esc itself, and returns the focus.
      onKeyDown={({ key, defaultPrevented }) => key === 'Escape' && !defaultPrevented && showWaiting()}
      data-empty={rows.length + dismissedNeeds.value.length === 0}
    >
      <Panel
        id={NEEDS_ID}
        title={needsYou.title}
        total={total || undefined}
        actions={
          <>
            <RestoreDismissed show={show} />
            <DismissFailures shown={rows} all={all} />
          </>
        }
      >
        <NewItems n={waiting} onShow={showWaiting} text={needsYou.fresh} holds />
        {rows.length === 0 && <p class="needs-none">{total === null ? words.value.loading : needsYou.none}</p>}
        <ul class="short-list">
          {shown.map(({ key, need, isSettled }) => (
            <NeedRow
              key={key}
              need={need}
              outcome={isSettled ? needOutcome(need, all) : undefined}
              isFrozen={isFrozen.value}
            />
          ))}
        </ul>
        {total !== null && <More rows={rows} n={shown.length} isExpanded={isExpanded.value} expand={expand} />}
      </Panel>
      {needAsked.value !== null && <NeedDialog asked={needAsked.value} />}
    </div>
  );
}

/** Where a list with this many unhandled rows ends. Handled ones do not push others out. */
function endOf(rows: readonly Row[], limit: number): number {
  let left = limit;
  const end = rows.findIndex(({ isSettled }) => !isSettled && left-- === 0);
  return end === -1 ? rows.length : end;
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

type NeedRowProps = { need: Need; outcome: ReturnType<typeof needOutcome> | undefined; isFrozen: boolean };

function NeedRow({ need, outcome, isFrozen }: NeedRowProps) {
  const { icon, tone } = SIGNS[agentNeedOf(need)?.kind ?? need.kind];
  const isAnswered = 'agent' in need && need.isAnswered;
  const isDone = outcome !== undefined || isAnswered;
  const asked = `${need.key} ${need.since} ${isAnswered}`;
  const { ref, style } = useKeptHeight(isFrozen || outcome !== undefined, asked);
  return (
    <li
      ref={ref}
      style={style}
      class="short-row need"
      data-status={isDone ? undefined : tone}
      data-kind={need.kind}
      data-settled={isDone}
    >
      <Icon name={outcome?.icon ?? (isDone ? 'check' : icon)} />
      <div class="need-text">
        <div class="need-head">
          <a class="row-link" href={needPath(need)} dir="auto">
            {needTitle(need)}
          </a>
          <span class="need-subject" dir="auto">
            {needSubject(need)}
          </span>
        </div>
        <p class="need-reason" dir="auto">
          {outcome?.text ?? <Reason need={need} />}
        </p>
      </div>
      <Age of={need.since} />
      {outcome === undefined && <NeedActs need={need} />}
    </li>
  );
}

/**
 * Rows keep their height while the list is frozen and when they lose their actions, so that none below them moves.
 * Another question in a row may need more.
 */
function useKeptHeight(isKept: boolean, asked: string) {
  const ref = useRef<HTMLLIElement>(null);
  const height = useRef(0);
  const measured = useRef({ width: 0, asked });
  const isValid = measured.current.width === width.value && measured.current.asked === asked;
  useLayoutEffect(() => {
    if (isKept && isValid) return;
    height.current = ref.current?.getBoundingClientRect().height ?? 0;
    measured.current = { width: width.value, asked };
  });
  return { ref, style: isKept && isValid && height.current > 0 ? { height: `${height.current}px` } : undefined };
}

const TIMED: readonly NeedKind[] = ['stuck', 'abandoned', 'expiring', 'unfetched'];

/** A separate component, so that the clock updates only this text. */
function Reason({ need }: { need: Need }) {
  const isTimed = TIMED.includes(need.kind) || agentNeedOf(need)?.answeredAt !== undefined;
  return <>{needReason(need, isTimed ? now.value : 0)}</>;
}

/** Those that wait behind "N new" have not been seen. */
function DismissFailures({ shown, all }: { shown: readonly Row[]; all: readonly Need[] }) {
  const failures = shown.flatMap(({ need, isSettled }) => (isSettled || !isFailure(need) ? [] : [need]));
  if (failures.length < 2) return null;
  const dismiss = ({ detail }: MouseEvent) => {
    if (detail > 1) return; // the first click was on the button that was here before
    dropFocus();
    dismissFailures(failures, all.filter(isFailure).length === failures.length);
  };
  return (
    <button type="button" class="button button-small button-quiet" onClick={dismiss}>
      {words.value.needsYou.dismissFailures(failures.flatMap(itemKeys).length)}
    </button>
  );
}

/** Puts what was dismissed, and has not ended since, back into the list. */
function RestoreDismissed({ show }: { show(): void }) {
  const dismissed = dismissedNeeds.value;
  if (dismissed.length === 0) return null;
  const restore = () => {
    dropFocus();
    const keys = new Set(dismissed.flatMap(dismissalKeys));
    restoreKeys((key) => keys.has(key));
    show();
  };
  return (
    <button type="button" class="button button-small button-quiet" onClick={restore}>
      {words.value.needsYou.restoreDismissed(dismissed.length)}
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
    <button type="button" class="button panel-more" data-command onClick={expand}>
      {needsYou.showAll(rows.length)}
    </button>
  );
}
