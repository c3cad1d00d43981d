// The dialog with the deliveries of a notifier, newest first: those sent and those to be retried.
import { language, words } from '../i18n/language.ts';
import { type DeliveryRecord, listDeliveries, type NotifierRecord } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { useListing } from '../live/listing.ts';
import { Age } from '../parts/age.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { duration, momentOf } from '../parts/format.ts';
import { problemText } from './problem-text.ts';

const keyOf = ({ delivery_id }: DeliveryRecord) => delivery_id;

type LogProps = { notifier: NotifierRecord; title: string; onClose(): void };

export function DeliveryLog({ notifier: { notifier_id }, title, onClose }: LogProps) {
  const listing = useListing(notifier_id, keyOf, async (cursor) => {
    const { deliveries, next_cursor } = await listDeliveries(notifier_id, { cursor });
    return { rows: deliveries, next: next_cursor };
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <ListingTable
        label={title}
        listing={listing}
        rows={listing.rows.value ?? []}
        keyOf={keyOf}
        columns={columns()}
        none={<p class="list-empty">{words.value.notifiers.logNone}</p>}
      />
    </Dialog>
  );
}

function columns(): Column<DeliveryRecord>[] {
  const { notifiers: text } = words.value;
  const { logColumn: column } = text;
  return [
    {
      name: 'what',
      label: column.what,
      kind: 'main',
      cell: (delivery) => <bdi>{nameOf(delivery)}</bdi>,
    },
    { name: 'status', label: column.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
    { name: 'attempts', label: column.attempts, kind: 'short', cell: ({ attempts }) => attempts },
    { name: 'when', label: column.when, kind: 'short', cell: ({ created_at }) => <Age of={created_at} /> },
  ];
}

function nameOf({ is_test, title, count }: DeliveryRecord): string {
  const { notifiers: text } = words.value;
  if (is_test) return text.testEntry;
  return count > 1 ? text.summary(count) : title;
}

export function DeliveryStatus({ delivery }: { delivery: DeliveryRecord }) {
  const label = words.value.notifiers.status[delivery.status];
  const problem = problemText(delivery);
  const shown = problem === undefined ? label : words.value.labelled(label, problem);
  return (
    <span>
      {shown} {delivery.next_attempt_at !== null && <NextAttempt at={delivery.next_attempt_at} />}
    </span>
  );
}

/** The list reloads every few seconds. */
function NextAttempt({ at }: { at: string }) {
  const left = duration(momentOf(at) - hubTime(), language.value);
  return <span class="tag">{words.value.notifiers.nextAttempt(left)}</span>;
}
