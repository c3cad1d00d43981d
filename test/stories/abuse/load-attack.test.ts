// An attack, part two: one tenant requests as much work as possible while another is served. These tests do not depend
// on the speed of the machine. `npm run trust` measures times.
import { expect, onTestFinished, test } from 'vitest';
import { subscription } from '../../../scripts/trust/abuse/attacks/heavy-bodies.ts';
import { ask, dial, requestText, rpc, toolCall } from '../../../scripts/trust/abuse/wire.ts';
import { type Account, PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { type HubOfAda, hubOfAda } from '../../support/process/registered-hub.ts';
import { type RunningHub, storyOnce } from '../../support/process/running-hub.ts';

/** The passwords of a flood are hashed one after the other. */
const MEBIBYTE = 1024 * 1024;
const MODERN = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };

storyOnce('attempts to overload the hub', (target) => {
  test('a flood of logins from many addresses is partly rejected, and a valid user gets in', async () => {
    const { hub } = await hubOfAda({ target });
    const login = { username: 'ada', password: PASSWORD };
    expect((await restClient(hub.url).post('/api/auth/login', login)).status).toBe(200);
    const guesses = Array.from({ length: 100 }, (_, number) => {
      const username = number % 2 === 0 ? 'ada' : `user${number}`;
      const body = JSON.stringify({ username, password: 'a guess' });
      return ask(portOf(hub), { path: '/api/auth/login', body }, { from: `127.0.3.${1 + number}`, timeoutMs: 60_000 });
    });
    const replies = await Promise.all(guesses);
    const refused = replies.filter(({ status }) => status === 503);
    expect(refused).not.toEqual([]);
    for (const { text } of refused) expect(text).toMatch(/retry-after: \d+/i);
    expect(replies.filter(({ status }) => status !== 401 && status !== 429 && status !== 503)).toEqual([]);
    await expect.poll(async () => (await restClient(hub.url).post('/api/auth/login', login)).status).toBe(200);
  });

  test('subscriptions to overlong URIs are rejected by name', async () => {
    const { hub, mallory, networkToken } = await withMallory(await hubOfAda({ target }));
    const uris = [`hub://inbox/${'x'.repeat(201)}`, `hub://inbox/${'x'.repeat(100_000)}`];
    for (const uri of uris) {
      const { text } = await ask(portOf(hub), rpc(mallory.networkToken, subscription([uri]), MODERN));
      expect(text).toContain('-32602');
    }
    await expectServed(hub, networkToken);
  });

  test('a body with a hundred thousand members is rejected while it is read', async () => {
    const { hub, mallory, networkToken } = await withMallory(await hubOfAda({ target }));
    const members = `{${Array.from({ length: 90_000 }, (_, number) => `"m${number}":1`).join(',')}}`;
    const { status, text } = await ask(portOf(hub), { path: '/api/tasks', token: mallory.networkToken, body: members });
    expect(status).toBe(400);
    expect(text).toMatch(/at most [\d,]+ (members|values)|members/);
    await expectServed(hub, networkToken);
  });

  test('a user with more sessions than fit on a page gets them page by page', async () => {
    const { hub, mallory, networkToken } = await withMallory(await hubOfAda({ target }));
    const reports = Array.from({ length: 1_020 }, (_, number) => ({
      resume_id: `r${number}`,
      alias: `agent-${number}`,
      status: 'idle',
      model: 'x'.repeat(2_000),
    }));
    for (let sent = 0; sent < reports.length; sent += 30) {
      const batch = reports.slice(sent, sent + 30).map((report, id) => toolCall('report_status', report, id + 1));
      expect((await ask(portOf(hub), rpc(mallory.networkToken, batch))).status).toBe(200);
    }
    const pages = await pagesOf(hub, mallory.networkToken);
    expect(pages.map((page) => page.length)).toEqual([500, 500, 20]);
    expect(new Set(pages.flat()).size).toBe(reports.length);
    await expectServed(hub, networkToken);
  });

  test("unread responses use up the attacker's memory share, not that of others", async () => {
    const { hub, mallory, networkToken } = await withMallory(await hubOfAda({ target }));
    const text = '\u{1F980}'.repeat(10_000);
    for (let sent = 0; sent < 50; sent++)
      await restClient(hub.url, mallory.networkToken).post('/api/messages', {
        alias: 'full',
        message: text,
        from_session: `m${sent}`,
      });
    const page = { path: '/api/messages?alias=full&limit=500', token: mallory.networkToken };
    for (let number = 0; number < 45; number++) {
      const socket = dial(portOf(hub)).pause();
      onTestFinished(() => void socket.destroy());
      // The first few fit into what the system keeps for a socket.
      socket.write(Buffer.concat(Array<Buffer>(15).fill(requestText(page))));
    }
    await expect.poll(async () => (await ask(portOf(hub), page)).status).toBeGreaterThan(400);
    await expectServed(hub, networkToken);
  });

  test('large posts to unknown paths get a response before they are complete', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const socket = dial(portOf(hub));
    onTestFinished(() => void socket.destroy());
    socket.write(requestText({ path: '/nowhere', body: '['.repeat(MEBIBYTE) }).subarray(0, 2_000));
    const statusLine = new Promise((resolve) =>
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString().slice(0, 12))),
    );
    expect(await statusLine).toBe('HTTP/1.1 404');
    await expectServed(hub, networkToken);
  });
});

function portOf({ url }: RunningHub): { port: number } {
  return { port: Number(new URL(url).port) };
}

async function withMallory(home: HubOfAda): Promise<HubOfAda & { mallory: Account }> {
  return { ...home, mallory: await register(home.hub.url, 'mallory') };
}

async function expectServed({ url }: RunningHub, token: string): Promise<void> {
  const { status } = await restClient(url, token).post('/api/tasks', {
    alias: 'bob',
    task: 'still there?',
    from_session: 'alice',
  });
  expect(status).toBe(200);
}

/** The aliases on each page. */
async function pagesOf({ url }: RunningHub, token: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: unknown = ''; cursor !== undefined; ) {
    const { body } = await restClient(url, token).get(`/api/status${cursor === '' ? '' : `?cursor=${String(cursor)}`}`);
    pages.push(listOf(body, 'sessions').map((session) => textOf(session, 'alias')));
    cursor = body.next_cursor;
  }
  return pages;
}
