// What a saved filter may contain: the fields of each page, and the values that they accept.
import { PRIORITIES, TASK_STATUSES } from '../../../server/domain/task-status.ts';
import { SORT_COLUMNS } from '../../agents/roster.ts';
import { SPAN_NAMES } from '../../fleet/spans.ts';
import { AGENT_STATUSES } from '../../parts/statuses.ts';
import { TASK_AGES } from '../../tasks/task-filter.ts';

/** Undefined where any text is valid: old tasks can name an agent that no longer exists. */
type Fields = Readonly<Record<string, readonly string[] | undefined>>;

const FIELDS = {
  tasks: {
    status: TASK_STATUSES,
    to: undefined,
    from: undefined,
    priority: PRIORITIES,
    age: TASK_AGES,
    text: undefined,
    view: ['board'],
  },
  agents: {
    status: AGENT_STATUSES,
    server: undefined,
    text: undefined,
    sort: SORT_COLUMNS.flatMap((column) => [column, `-${column}`]),
    view: ['figures'],
    span: SPAN_NAMES,
  },
  messages: { of: undefined, with: undefined },
  search: { text: undefined },
} as const satisfies Record<string, Fields>;

export type FilteredPage = keyof typeof FIELDS;

export function isFilteredPage(name: unknown): name is FilteredPage {
  return typeof name === 'string' && Object.hasOwn(FIELDS, name);
}

/** The fields of the page whose value in the address this console does not know. */
export function invalidFields(page: FilteredPage, query: Record<string, string>): string[] {
  const fields: Fields = FIELDS[page];
  const isWrong = (field: string) => fields[field]?.includes(query[field] ?? '') === false;
  return Object.keys(query).filter((field) => Object.hasOwn(fields, field) && isWrong(field));
}

/** `dropped` holds what this console does not know, as `field: value`. */
export function validQuery(page: FilteredPage, query: Record<string, unknown>) {
  const fields: Fields = FIELDS[page];
  const [kept, dropped]: [Record<string, string>, string[]] = [{}, []];
  for (const [field, value] of Object.entries(query)) {
    if (typeof value === 'string' && Object.hasOwn(fields, field) && (fields[field]?.includes(value) ?? true))
      kept[field] = value;
    else dropped.push(`${field}: ${String(value)}`);
  }
  return { kept, dropped };
}
