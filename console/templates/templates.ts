// Named templates for what a user sends often, for each user and network. The browser stores them.
import { account } from '../account/account.ts';
import { readStored, writeStored } from '../live/storage.ts';

export type Template = { name: string; text: string; context: string; priority: string; ttl: string };

const FIELDS = ['name', 'text', 'context', 'priority', 'ttl'] as const satisfies readonly (keyof Template)[];

/** By name. What is stored may have been written by another version. */
export function listTemplates(): readonly Template[] {
  const stored = parsed(readStored('localStorage', storageKey()));
  return Array.isArray(stored) ? stored.filter(isTemplate) : [];
}

/** Replaces the template of the same name. */
export function saveTemplate(template: Template): void {
  store([...others(template.name), template].sort((one, other) => one.name.localeCompare(other.name)));
}

export function deleteTemplate(name: string): void {
  store(others(name));
}

function others(name: string): Template[] {
  return listTemplates().filter((template) => template.name !== name);
}

function store(templates: readonly Template[]): void {
  writeStored('localStorage', storageKey(), JSON.stringify(templates));
}

function storageKey(): string {
  return `agenthub.templates.${account.value?.user.user_id}.${account.value?.network_id}`;
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

function isTemplate(value: unknown): value is Template {
  return (
    typeof value === 'object' && value !== null && FIELDS.every((name) => typeof Reflect.get(value, name) === 'string')
  );
}
