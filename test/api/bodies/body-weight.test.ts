// What a body costs to parse, which decides whether it shares its turn of the event loop with others.
import { expect, test } from 'vitest';
import { LARGE_BODIES_BYTES_PER_TURN, LARGE_BODY_BYTES } from '../../../server/domain/limits.ts';
import { collectBody } from '../../../server/http/bodies/collector.ts';
import { USUAL_BODY } from '../../../server/http/bodies/read-body.ts';

function weightOf(text: string): number {
  const body = collectBody(USUAL_BODY, text.length, { take: () => {}, release: () => {} });
  const chunk = Buffer.from(text);
  body.count(chunk);
  expect(body.read(chunk)).toBeUndefined();
  return body.weight();
}

test('a small body of many members fills a turn, and an ordinary one is not counted', () => {
  const members = Array.from({ length: 1_900 }, (_, number) => `"${number.toString(36)}":1`);
  const many = `{${members.join(',')}}`;
  expect(many.length).toBeLessThan(16 * 1024);
  expect(weightOf(many)).toBeGreaterThan(LARGE_BODIES_BYTES_PER_TURN);
  expect(weightOf(JSON.stringify({ alias: 'bob', task: 'x'.repeat(2_000), from_session: 'ada' }))).toBeLessThan(
    LARGE_BODY_BYTES,
  );
});
