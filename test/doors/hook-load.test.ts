// Hook events above the size from which bodies share turns are read whole and in order while other large bodies arrive.
import { expect, test } from 'vitest';
import { serveHub } from '../support/served-hub.ts';

const KIB = 1024;

test('large hook events of many are all taken while they arrive together', async () => {
  const hub = await serveHub();
  const post = async (id: number): Promise<string> => {
    const event = {
      hook_event_name: 'PostToolUse', tool_response: 'y'.repeat(150 * KIB), session_id: 's', cwd: `/work/${id}`, tool_input: 'z'.repeat(150 * KIB),
    };
    const answer = await fetch(`${hub.url}/hooks/claude-code?alias=al${id}`, {
      method: 'POST', body: JSON.stringify(event), headers: { Authorization: `Bearer ${hub.networkToken}`, 'Content-Type': 'application/json' },
    });
    return `${answer.status} ${answer.ok ? '' : await answer.text()}`;
  };
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, id) => post(id)));
    expect(new Set(answers)).toEqual(new Set(['200 ']));
  }
});
