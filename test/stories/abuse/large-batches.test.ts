// A batch whose responses would exceed the maximum string length. The hub returns what fits and keeps running.
import { expect, test } from 'vitest';
import { MAX_BATCH_ANSWER_BYTES, MAX_BATCH_CALLS } from '../../../server/domain/limits.ts';
import { legacyPost, send, TAKES_JSON } from '../../support/http/mcp-posts.ts';
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

const FULL = '\u0001'.repeat(9_990);

storyOnce('large batches', (target) => {
  test('fifty calls that each read an inbox of 24 MB do not crash the hub', { timeout: 60_000 }, async () => {
    const { hub, networkToken: token } = await hubOfAda({ target });
    for (let sent = 0; sent < 100; sent += 10)
      await Promise.all(Array.from({ length: 10 }, (_, index) => fill(hub.url, token, sent + index)));
    const inbox = { name: 'get_inbox', arguments: { alias: 'bob', limit: 100 } };
    const batch = Array.from({ length: MAX_BATCH_CALLS }, (_, id) => legacyPost('tools/call', inbox, id).message);

    const response = await send(hub.url, token, { headers: {}, message: batch }, TAKES_JSON);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_BATCH_ANSWER_BYTES + MAX_BATCH_CALLS * 300);
    const entries = entriesIn(text);
    expect(entries.map(({ id }) => id)).toEqual(Array.from({ length: MAX_BATCH_CALLS }, (_, id) => id));
    const refused = entries.filter((entry) => 'error' in entry);
    expect(MAX_BATCH_CALLS - refused.length).toBeGreaterThan(1);
    expect(new Set(refused.map((entry) => textOf(objectOf(entry, 'error'), 'message')))).toEqual(
      new Set(['the responses of this batch exceed 8 MiB; send this call in a separate POST']),
    );
    expect(inboxIn(entries[0])).toMatchObject({ ok: true, more: true });
    expect((await fetch(`${hub.url}/health`)).status).toBe(200);
    expect(hub.output()).not.toContain('"level":"error"');
  });
});

async function fill(url: string, token: string, number: number): Promise<void> {
  const task = { alias: 'bob', task: `${number} ${FULL}`.slice(0, 10_000), context: FULL };
  const response = await send(url, token, legacyPost('tools/call', { name: 'send_task', arguments: task }), TAKES_JSON);
  expect(await response.text()).toContain('\\"ok\\":true');
}

function entriesIn(text: string): JsonObject[] {
  const entries: unknown = JSON.parse(text);
  if (Array.isArray(entries) && entries.every(isObject)) return entries;
  throw new Error(`expected a list, got ${text.slice(0, 200)}`);
}

function inboxIn(entry: JsonObject | undefined): JsonObject {
  const [content] = listOf(objectOf(entry ?? {}, 'result'), 'content');
  return objectIn(textOf(content ?? {}, 'text'));
}
