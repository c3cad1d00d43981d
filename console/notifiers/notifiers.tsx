// The notifiers of the signed-in user, or of a network: create, test, change, delete, and the log of each.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import {
  type DeliveryRecord,
  deleteNotifier,
  listDeliveries,
  listNotifiers,
  type NotifierRecord,
  testNotifier,
} from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { useListing } from '../live/listing.ts';
import { ConfirmDialog } from '../parts/action-dialog.tsx';
import { Age } from '../parts/age.tsx';
import { Copyable } from '../parts/copy.tsx';
import { type Column, ListingTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { DeliveryLog, DeliveryStatus } from './delivery-log.tsx';
import { type Created, NotifierForm } from './notifier-form.tsx';
import { problemText } from './problem-text.ts';

/** `last` is the newest delivery that was attempted, if there is one. */
type Row = NotifierRecord & { last: DeliveryRecord | undefined };
const keyOf = ({ notifier_id }: NotifierRecord) => notifier_id;
/** Each row needs a request. */
const PAGE = 20;
/** The parameters of the address that open a dialog for a notifier. */
type Dialog = 'edit-notifier' | 'delete-notifier' | 'log';
type Tested = { tone: 'info' | 'good' | 'error'; text: string };

export function Notifiers({ network_id }: { network_id?: string }) {
  const { notifiers: text } = words.value;
  const { query, pathWith, change } = useAddress();
  const tested = useSignal<Tested | null>(null);
  const secret = useSignal<string | null>(null);
  const listing = useListing(network_id ?? '', keyOf, async (cursor) => {
    const { notifiers, next_cursor } = await listNotifiers({ network_id, cursor, limit: PAGE });
    return { rows: await Promise.all(notifiers.map(withLast)), next: next_cursor };
  });
  const rows = listing.rows.value ?? [];
  const chosen = (dialog: Dialog) => rows.find(({ notifier_id }) => notifier_id === query[dialog]);
  const [edited, deleted, logged] = [chosen('edit-notifier'), chosen('delete-notifier'), chosen('log')];

  async function test(notifier: NotifierRecord): Promise<void> {
    const name = nameOf(notifier);
    tested.value = { tone: 'info', text: text.testing(name) };
    const problem = await problemOfTest(notifier.notifier_id);
    const isDelivered = problem === undefined;
    tested.value = {
      tone: isDelivered ? 'good' : 'error',
      text: isDelivered ? text.delivered(name) : text.notDelivered(name, problem),
    };
    void listing.load();
  }
  async function showCreated({ notifier, secret: created }: Created): Promise<void> {
    secret.value = created ?? null;
    await listing.load();
    await test(notifier);
  }
  return (
    <section class="panel" aria-labelledby="notifiers-title">
      <header class="panel-head">
        <h2 id="notifiers-title">{text.title}</h2>
        <span class="spacer" />
        <a class="button button-small" href={pathWith({ dialog: 'notifier' })}>
          <Icon name="plus" />
          {text.create}
        </a>
      </header>
      <p class="panel-text">{network_id === undefined ? text.ownText : text.networkText}</p>
      {secret.value !== null && <Secret secret={secret.value} onDismiss={() => (secret.value = null)} />}
      {tested.value !== null && (
        <div class="panel-text">
          <Notice tone={tested.value.tone}>{tested.value.text}</Notice>
        </div>
      )}
      <ListingTable
        label={text.title}
        listing={listing}
        rows={rows}
        keyOf={keyOf}
        columns={columns(pathWith, test)}
        none={<p class="list-empty">{text.none}</p>}
      />
      {query['dialog'] === 'notifier' && (
        <NotifierForm network_id={network_id} onDone={showCreated} onClose={() => change({ dialog: undefined })} />
      )}
      {edited !== undefined && (
        <NotifierForm notifier={edited} onDone={listing.load} onClose={() => change({ 'edit-notifier': undefined })} />
      )}
      {deleted !== undefined && (
        <Delete notifier={deleted} onDone={listing.load} onClose={() => change({ 'delete-notifier': undefined })} />
      )}
      {logged !== undefined && (
        <DeliveryLog
          notifier={logged}
          title={text.logNamed(nameOf(logged))}
          onClose={() => change({ log: undefined })}
        />
      )}
    </section>
  );
}

async function withLast(notifier: NotifierRecord): Promise<Row> {
  const { deliveries } = await listDeliveries(notifier.notifier_id, { limit: 5 }).catch(() => ({ deliveries: [] }));
  return { ...notifier, last: deliveries.find(({ attempts }) => attempts > 0) ?? deliveries[0] };
}

/** Why the test was not delivered; undefined if it was. */
async function problemOfTest(notifier_id: string): Promise<string | undefined> {
  try {
    return problemText(await testNotifier(notifier_id));
  } catch (error) {
    return errorText(error).replace(/[.。]$/, '');
  }
}

function nameOf({ name, host }: NotifierRecord): string {
  return name === '' ? host : name;
}

function Secret({ secret, onDismiss }: { secret: string; onDismiss(): void }) {
  const { notifiers: text } = words.value;
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <div class="shown-once" role="status" ref={shown}>
      <h3>{text.secret}</h3>
      <Copyable text={secret} what={text.secret} />
      <p class="field-hint">{text.secretHint}</p>
      <div>
        <button type="button" class="button button-quiet" onClick={onDismiss}>
          {text.dismiss}
        </button>
      </div>
    </div>
  );
}

function columns(
  pathWith: ReturnType<typeof useAddress>['pathWith'],
  test: (notifier: NotifierRecord) => Promise<void>,
): Column<Row>[] {
  const { notifiers: text, common } = words.value;
  const link = (dialog: Dialog, notifier: NotifierRecord, label: string, named: (name: string) => string) => (
    <a
      class="button button-small button-quiet"
      href={pathWith({ [dialog]: notifier.notifier_id })}
      aria-label={named(nameOf(notifier))}
    >
      {label}
    </a>
  );
  const actions = (notifier: NotifierRecord) => (
    <>
      <button
        type="button"
        class="button button-small button-quiet"
        aria-label={text.testNamed(nameOf(notifier))}
        onClick={() => void test(notifier)}
      >
        {text.test}
      </button>
      {link('log', notifier, text.log, text.logNamed)}
      {link('edit-notifier', notifier, text.edit, text.editNamed)}
      {link('delete-notifier', notifier, text.delete, text.deleteNamed)}
    </>
  );
  return [
    { name: 'name', label: text.column.name, kind: 'main', cell: (notifier) => <Name notifier={notifier} /> },
    { name: 'format', label: text.column.format, kind: 'short', cell: ({ format }) => text.format[format] },
    { name: 'host', label: text.column.host, cell: ({ host }) => <bdi class="host">{host}</bdi> },
    { name: 'last', label: text.column.last, cell: ({ last }) => last && <Last delivery={last} /> },
    { name: 'actions', label: common.actions, kind: 'actions', cell: actions },
  ];
}

function Last({ delivery }: { delivery: DeliveryRecord }) {
  return (
    <span data-status={delivery.error === null ? undefined : 'failed'}>
      <span class="status-word">
        <DeliveryStatus delivery={delivery} />
      </span>{' '}
      <Age of={delivery.ended_at ?? delivery.created_at} />
    </span>
  );
}

function Name({ notifier }: { notifier: NotifierRecord }) {
  const { notifiers: text } = words.value;
  const { enabled, quiet_from, quiet_until, time_zone } = notifier;
  return (
    <span class="table-name">
      <bdi>{nameOf(notifier)}</bdi>
      {!enabled && <span class="tag">{text.paused}</span>}
      {quiet_from !== null && (
        <span class="tag" title={text.quietHint(time_zone)}>
          {text.quiet(`${quiet_from}–${quiet_until}`)}
        </span>
      )}
    </span>
  );
}

type DeleteProps = { notifier: NotifierRecord; onDone(): Promise<void>; onClose(): void };

function Delete({ notifier, onDone, onClose }: DeleteProps) {
  const { notifiers: text } = words.value;
  const remove = async () => {
    await deleteNotifier(notifier.notifier_id);
    await onDone();
    return text.deleted;
  };
  return (
    <ConfirmDialog
      title={text.deleteTitle(nameOf(notifier))}
      text={text.deleteText}
      submit={text.delete}
      action={remove}
      onClose={onClose}
    />
  );
}
