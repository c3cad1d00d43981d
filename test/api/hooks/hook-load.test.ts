// Large hook events are read completely and in order while other large bodies arrive. Events with too many members are
// rejected.
import { expect, test } from 'vitest';
import { MAX_JSON_MEMBERS } from '../../../server/domain/limits.ts';
import { serveHub } from '../../support/served-hub.ts';

const KIB = 1024;

test('concurrent large hook events from many agents are all accepted', async () => {
  const hub = await serveHub();
  const post = async (id: number): Promise<string> => {
    const event = {
      hook_event_name: 'PostToolUse',
      tool_response: 'y'.repeat(150 * KIB),
      session_id: 's',
      cwd: `/work/${id}`,
      tool_input: 'z'.repeat(150 * KIB),
    };
    const response = await fetch(`${hub.url}/hooks/claude-code?alias=al${id}`, {
      method: 'POST',
      body: JSON.stringify(event),
      headers: { Authorization: `Bearer ${hub.networkToken}`, 'Content-Type': 'application/json' },
    });
    return `${response.status} ${response.ok ? '' : await response.text()}`;
  };
  for (let round = 0; round < 5; round++) {
    const responses = await Promise.all(Array.from({ length: 12 }, (_, id) => post(id)));
    expect(new Set(responses)).toEqual(new Set(['200 ']));
  }
});

test.each([
  [0, 200],
  [1, 400],
])('ignored members count toward the limit: the maximum plus %i', async (more, status) => {
  const hub = await serveHub();
  const known = '"hook_event_name":"PostToolUse","session_id":"s"';
  const others = Array.from({ length: MAX_JSON_MEMBERS - 2 + more }, (_, number) => `,"k${number}":1`).join('');
  const response = await fetch(`${hub.url}/hooks/claude-code?alias=bob`, {
    method: 'POST',
    body: `{${known}${others}}`,
    headers: { Authorization: `Bearer ${hub.networkToken}`, 'Content-Type': 'application/json' },
  });
  expect(response.status).toBe(status);
  if (status === 400)
    expect(await response.json()).toMatchObject({
      message: `the body must have at most ${MAX_JSON_MEMBERS} members and list items in total`,
    });
});
