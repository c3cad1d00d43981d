// Compares a response with its shape and names the member that differs.
import * as v from 'valibot';

export function expectShape(shape: v.GenericSchema, value: unknown): void {
  const { issues, success } = v.safeParse(shape, value);
  if (success) return;
  const lines = issues.map((issue) => `${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`);
  throw new Error(`${lines.join('\n')}\nin ${JSON.stringify(value, null, 1)}`);
}
