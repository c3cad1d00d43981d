// The dialog that creates or changes a notifier.
import { type Signal, useSignal } from '@preact/signals';
import {
  DEFAULT_NOTIFIER_RATE,
  DEFAULT_UNFETCHED_MINUTES,
  MAX_NOTIFIER_NAME,
  MAX_NOTIFIER_RATE,
} from '../../server/domain/limits.ts';
import {
  FORMATS,
  type Format,
  TOPIC,
  TRIGGERS,
  type Trigger,
  UNFETCHED_MINUTES,
  USUAL_TRIGGERS,
} from '../../server/domain/notifiers/choices.ts';
import { words } from '../i18n/language.ts';
import { changeNotifier, createNotifier, type NotifierRecord } from '../live/api.ts';
import { RequestError } from '../live/request.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { Choice } from '../parts/choice.tsx';
import { controlOf, Field, type FieldProps, SelectField, TextField } from '../parts/field.tsx';
import { lengthOf, wholeNumberIn } from '../parts/lengths.ts';

export type Created = Awaited<ReturnType<typeof createNotifier>>;

type FormProps = {
  /** The one to change; undefined for a new one. */
  notifier?: NotifierRecord;
  network_id?: string | undefined;
  onDone(created: Created): Promise<void>;
  onClose(): void;
};
type Changed = Omit<FormProps, 'onDone'> & { notifier: NotifierRecord; onDone(): Promise<void> };

type Wrong = { url?: string; name?: string; rate?: string; quiet?: string };

export function NotifierForm(props: FormProps | Changed) {
  const { notifier, network_id, onClose } = props;
  const { notifiers: text } = words.value;
  const values = useValues(notifier);
  const wrong = useSignal<Wrong>({});
  const form = useAction(onClose, async () => {
    wrong.value = wrongOf(values, notifier === undefined);
    if (Object.keys(wrong.value).length > 0) return undefined;
    try {
      return await save();
    } catch (error) {
      const refused = urlProblem(error);
      if (refused === undefined) throw error;
      wrong.value = { url: text.urlRefused(refused) };
      return undefined;
    }
  });

  async function save(): Promise<string> {
    const url = values.url.value.trim();
    const settings = settingsOf(values);
    if (notifier === undefined) {
      const created = await createNotifier({ ...settings, url, format: values.format.value, network_id });
      void props.onDone(created);
      return '';
    }
    await changeNotifier(notifier.notifier_id, { ...settings, ...(url !== '' && { url }) });
    await (props as Changed).onDone();
    return text.saved;
  }
  return (
    <ActionDialog
      title={notifier === undefined ? text.createTitle : text.editTitle}
      form={form}
      submit={notifier === undefined ? text.createAct : text.editAct}
      onClose={onClose}
    >
      {notifier === undefined && <Formats value={values.format} />}
      <TextField
        id="notifier-url"
        label={text.url}
        hint={notifier === undefined ? text.urlHint[values.format.value] : text.urlKept}
        value={values.url}
        error={wrong.value.url}
        autoComplete="off"
        spellcheck={false}
        autoFocus
      />
      <TextField id="notifier-name" label={text.name} value={values.name} error={wrong.value.name} autoComplete="off" />
      <Triggers value={values.triggers} />
      <div class="form-row">
        <SelectField
          id="notifier-unfetched"
          label={text.unfetched}
          value={values.unfetched}
          options={UNFETCHED_MINUTES.map((n) => ({ value: String(n), label: text.minutes(n) }))}
        />
        <TextField
          id="notifier-rate"
          label={text.rate}
          hint={text.rateHint}
          value={values.rate}
          error={wrong.value.rate}
          autoComplete="off"
        />
      </div>
      <div class="form-row">
        <TimeField
          id="notifier-quiet-from"
          label={text.quietFrom}
          hint={text.quietHint(values.zone)}
          value={values.from}
          error={wrong.value.quiet}
        />
        <TimeField id="notifier-quiet-until" label={text.quietUntil} value={values.until} />
      </div>
      {notifier !== undefined && <Check value={values.enabled} label={text.enabled} />}
    </ActionDialog>
  );
}

function useValues(notifier: NotifierRecord | undefined) {
  return {
    format: useSignal<Format>(notifier?.format ?? 'webhook'),
    url: useSignal(''),
    name: useSignal(notifier?.name ?? ''),
    triggers: useSignal<readonly Trigger[]>(notifier?.triggers ?? USUAL_TRIGGERS),
    unfetched: useSignal(String(notifier?.unfetched_minutes ?? DEFAULT_UNFETCHED_MINUTES)),
    rate: useSignal(String(notifier?.rate_limit ?? DEFAULT_NOTIFIER_RATE)),
    from: useSignal(notifier?.quiet_from ?? ''),
    until: useSignal(notifier?.quiet_until ?? ''),
    enabled: useSignal(notifier?.enabled ?? true),
    zone: zoneOf(notifier),
  };
}

type Values = ReturnType<typeof useValues>;

/** Quiet hours keep their zone; new ones are in the zone of this browser. */
function zoneOf(notifier: NotifierRecord | undefined): string {
  return notifier?.quiet_from ? notifier.time_zone : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function wrongOf({ format, url, name, rate, from, until }: Values, isNew: boolean): Wrong {
  const { notifiers: text, errors } = words.value;
  const wrongUrl = isNew || url.value.trim() !== '' ? urlWrong(url.value.trim(), format.value) : undefined;
  return {
    ...(wrongUrl !== undefined && { url: wrongUrl }),
    ...(lengthOf(name.value) > MAX_NOTIFIER_NAME && { name: errors.tooLong(MAX_NOTIFIER_NAME) }),
    ...(wholeNumberIn(rate.value, 1, MAX_NOTIFIER_RATE) === undefined && {
      rate: errors.wholeNumber(1, MAX_NOTIFIER_RATE),
    }),
    ...((from.value === '') !== (until.value === '') && { quiet: text.quietWrong }),
    ...(from.value !== '' && from.value === until.value && { quiet: text.quietSame }),
  };
}

function urlWrong(url: string, format: Format): string | undefined {
  const { notifiers: text } = words.value;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return text.urlWrong;
  const { username, password, pathname } = new URL(url);
  if (username + password !== '') return text.urlWithPassword;
  return format === 'ntfy' && !TOPIC.test(pathname) ? text.topicWrong : undefined;
}

/** Why the hub refuses the URL; undefined if another error occurred. */
function urlProblem(error: unknown): string | undefined {
  const { problem } = words.value.notifiers;
  const refusals: Record<string, string> = {
    private_address: problem.private_address,
    no_address: problem.no_address,
    lookup_failed: problem.lookup_failed,
  };
  return error instanceof RequestError ? refusals[error.code] : undefined;
}

function settingsOf({ name, triggers, unfetched, rate, from, until, enabled, zone }: Values) {
  return {
    name: name.value.trim(),
    triggers: triggers.value,
    unfetched_minutes: Number(unfetched.value),
    rate_limit: Number(rate.value),
    quiet_from: from.value || 'none',
    quiet_until: until.value || 'none',
    time_zone: zone,
    enabled: enabled.value,
  };
}

function Formats({ value }: { value: Signal<Format> }) {
  const { notifiers: text } = words.value;
  return (
    <Choice
      name="notifier-format"
      legend={text.column.format}
      options={FORMATS.map((format) => ({ value: format, label: text.format[format] }))}
      chosen={value.value}
      onChoose={(format) => (value.value = format)}
    />
  );
}

function Triggers({ value }: { value: Signal<readonly Trigger[]> }) {
  const { notifiers: text } = words.value;
  const toggle = (trigger: Trigger, isChosen: boolean) =>
    (value.value = TRIGGERS.filter((each) => (each === trigger ? isChosen : value.value.includes(each))));
  return (
    <fieldset class="choice">
      <legend class="field-label">{text.triggers}</legend>
      {TRIGGERS.map((trigger) => (
        <label key={trigger} class="check">
          <input
            type="checkbox"
            checked={value.value.includes(trigger)}
            onChange={({ currentTarget }) => toggle(trigger, currentTarget.checked)}
          />
          {text.trigger[trigger]}
        </label>
      ))}
    </fieldset>
  );
}

function Check({ value, label }: { value: Signal<boolean>; label: string }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => (value.value = currentTarget.checked)}
      />
      {label}
    </label>
  );
}

function TimeField({ value, ...field }: FieldProps & { value: Signal<string> }) {
  return (
    <Field {...field}>
      <input type="time" {...controlOf(field, value)} />
    </Field>
  );
}
