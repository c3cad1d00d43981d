// Responses of the hub as unchecked JSON. Reading a missing member or one of another type throws an error that shows
// the actual value.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectIn(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error(`expected a JSON object, got ${text.slice(0, 500)}`);
  return value;
}

export function textOf(object: JsonObject, member: string): string {
  const value = object[member];
  if (typeof value !== 'string')
    throw new Error(`${member} is not a string in ${JSON.stringify(object).slice(0, 500)}`);
  return value;
}

export function objectOf(object: JsonObject, member: string): JsonObject {
  const value = object[member];
  if (!isObject(value)) throw new Error(`${member} is not an object in ${JSON.stringify(object).slice(0, 500)}`);
  return value;
}

export function listOf(object: JsonObject, member: string): JsonObject[] {
  const value = object[member];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw new Error(`${member} is not a list of objects in ${JSON.stringify(object).slice(0, 500)}`);
}
