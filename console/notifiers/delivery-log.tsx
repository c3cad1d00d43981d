// The dialog with what a notifier has sent, newest first, and what it will try again.
import { words } from '../i18n/language.ts';
import { type DeliveryRecord, listDeliveries, type NotifierRecord } from '../live/api.ts';
import { useListing } from '../live/listing.ts';
import { Age } from '../parts/age.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Dialog } from '../parts/dialog.tsx';

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
      cell: ({ title, count }) => <bdi>{count > 1 ? text.summary(count) : title}</bdi>,
    },
    { name: 'status', label: column.status, cell: (delivery) => <Status delivery={delivery} /> },
    { name: 'attempts', label: column.attempts, kind: 'short', cell: ({ attempts }) => attempts },
    { name: 'when', label: column.when, kind: 'short', cell: ({ created_at }) => <Age of={created_at} /> },
  ];
}

function Status({ delivery: { status, error } }: { delivery: DeliveryRecord }) {
  const label = words.value.notifiers.status[status];
  return <>{error === null ? label : words.value.labelled(label, error)}</>;
}
