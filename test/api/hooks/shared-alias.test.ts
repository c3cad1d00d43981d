// Two client sessions under one alias: the status of the agent, and the warning to the second one.
import { describe, expect, test } from 'vitest';
import { getSessionStatus } from '../../../server/operations/sessions/get-session-status.ts';
import { report, send } from '../../support/fixture.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { serveHub } from '../../support/served-hub.ts';

async function openShared(client = 'claude-code') {
  const hub = await serveHub();
  const at = async (session_id: string, hook_event_name: string) => {
    const { post } = restClient(hub.url, hub.networkToken);
    const { status, body } = await post(`/hooks/${client}?alias=bob`, { hook_event_name, session_id });
    expect(status, JSON.stringify(body)).toBe(200);
    return JSON.stringify(body);
  };
  const status = async () => {
    await hub.hub.store.write(async () => {});
    return (await hub.ask(getSessionStatus, { alias: 'bob' })).session.status;
  };
  return { hub, at, status };
}

describe('while the first session is in its turn', () => {
  test.each(['Stop', 'StopFailure', 'SessionEnd'])('%s of the second one does not hide it', async (end) => {
    const { at, status } = await openShared();
    await at('s-1', 'UserPromptSubmit');
    await at('s-2', 'UserPromptSubmit');
    await at('s-2', end);
    expect(await status()).toBe('working');
    await at('s-1', 'PostToolUse');
    await at('s-1', 'Stop');
    expect(await status()).toBe('idle');
  });

  test('nor does it if the agent reported its session itself', async () => {
    const { hub, at, status } = await openShared();
    await report(hub, 'bob', { task: 'the parser' });
    await at('s-1', 'UserPromptSubmit');
    await at('s-2', 'UserPromptSubmit');
    await at('s-2', 'SessionEnd');
    expect(await status()).toBe('working');
    await at('s-1', 'SessionEnd');
    expect(await status()).toBe('offline');
  });

  test('it counts as long as it sends events: two minutes after the last one, the other is shown', async () => {
    const { hub, at, status } = await openShared();
    await at('s-1', 'UserPromptSubmit');
    hub.hub.clock.advance(119_000);
    await at('s-2', 'UserPromptSubmit');
    await at('s-2', 'Stop');
    expect(await status()).toBe('working');
    hub.hub.clock.advance(1_000);
    await at('s-2', 'Stop');
    expect(await status()).toBe('idle');
  });
});

test('the agent is offline when both have ended, in either order', async () => {
  for (const order of [
    ['s-1', 's-2'],
    ['s-2', 's-1'],
  ]) {
    const { at, status } = await openShared();
    await at('s-1', 'UserPromptSubmit');
    await at('s-2', 'UserPromptSubmit');
    for (const session of order) await at(session, 'SessionEnd');
    expect(await status()).toBe('offline');
  }
});

describe('the second session', () => {
  const WARNING =
    'agenthub: another session is working as bob, and both are told about its mail. Tell the user that a session in another directory can have another alias, with `agenthub connect claude --scope project --hooks --write --alias NAME` there.';

  test('is warned once, with its mail, and the first is not', async () => {
    const { hub, at } = await openShared();
    expect(await at('s-1', 'UserPromptSubmit')).toBe('{}');
    const task = await send(hub);
    const told = await at('s-2', 'UserPromptSubmit');
    expect([told.includes(task), told.includes(WARNING)]).toEqual([true, true]);
    for (const session of ['s-1', 's-2']) expect(await at(session, 'UserPromptSubmit')).not.toContain(WARNING);
  });

  test('is not warned after the turn of the first', async () => {
    const { at } = await openShared();
    await at('s-1', 'UserPromptSubmit');
    await at('s-1', 'Stop');
    expect(await at('s-2', 'UserPromptSubmit')).toBe('{}');
  });
});
