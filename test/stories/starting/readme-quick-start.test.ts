// A new user pastes the quick start of README.md, and it works.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { openShell } from '../../support/process/readme-shell.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { readmeBlock } from '../../support/readme.ts';

/** The listener's events appear in between, even directly after a response. */
const RESPONSE = /\{"jsonrpc":"2\.0".*?"\}\]\}\}/g;

storyOnce('the quick start of README', (target) => {
  test('registers, sends a task to an agent that listens, and settles it', async () => {
    const { home, paste } = openShell(target, await startHub({ target }));
    const { status, stdout, stderr } = paste(readmeBlock('Quick start', 'sh'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const responses = [...stdout.matchAll(RESPONSE)].map(([response]) => toolResult(response));
    expect(responses).toMatchObject([
      { ok: true },
      { ok: true },
      { ok: true, session_status: 'idle' },
      { messages: [{ content: 'run the test suite' }] },
      { ok: true },
      { ok: true },
      { task: { status: 'replied', result: 'all green' } },
    ]);
    expect(stdout).toContain('event: new_task\n');
    expect(Object.keys(objectIn(readFileSync(join(home, 'account.json'), 'utf8')))).toEqual(
      expect.arrayContaining(['token', 'network_token']),
    );
  });
});

function toolResult(line: string): JsonObject {
  const [content] = listOf(objectOf(objectIn(line), 'result'), 'content');
  return objectIn(textOf(content ?? {}, 'text'));
}
