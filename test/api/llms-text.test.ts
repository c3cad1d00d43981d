// GET /llms.txt: one page that lets an agent without prior knowledge join the hub and work.
import { expect, test } from 'vitest';
import { llmsText } from '../../server/http/documents/llms-text.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { register } from '../support/http/rest-client.ts';
import { objectIn, textOf } from '../support/json.ts';
import { type RunningHub, startHub, story } from '../support/process/running-hub.ts';

test('omits registration where it is closed, and mentions the invite where one is required', () => {
  expect(llmsText('http://hub.example')).toContain('/api/auth/register');
  expect(llmsText('http://hub.example', 'invite')).toContain('"invite_code":"inv_…"');
  expect(llmsText('http://hub.example', 'closed')).not.toContain('/api/auth/register');
});

story('GET /llms.txt', (target) => {
  test('is plain text for every client, including browsers, and names every tool', async () => {
    const hub = await startHub({ target });
    const response = await fetch(`${hub.url}/llms.txt`, { headers: { Accept: 'text/html,*/*' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const page = await response.text();
    for (const { operation } of TOOLS) expect(page).toContain(`\n- ${operation.name}(`);
    expect(Buffer.byteLength(page)).toBeLessThan(8_192);
  });

  test('uses the address of the request', async () => {
    const hub = await startHub({ target, args: ['--trust-proxy', '1'] });
    const request = { 'X-Forwarded-Host': 'hub.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '10.0.0.1' };
    const page = await (await fetch(`${hub.url}/llms.txt`, { headers: request })).text();
    expect(page).toContain('claude mcp add --transport http hub https://hub.example/mcp');
    expect(page).not.toContain(hub.url);
  });

  test('its example calls work unchanged', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const calls = await callsIn(hub);
    expect(calls.length).toBeGreaterThanOrEqual(3);
    for (const body of calls) {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${networkToken}` };
      const response = await fetch(`${hub.url}/mcp`, { method: 'POST', headers, body });
      expect(await response.text()).toContain(String.raw`{\"ok\":true`);
    }
  });
});

/** The bodies of the tool calls on the page. */
async function callsIn(hub: RunningHub): Promise<string[]> {
  const page = await (await fetch(`${hub.url}/llms.txt`)).text();
  const bodies = [...page.matchAll(/\/mcp -H .* -d '([^']+)'/g)].map(([, body = '']) => body);
  for (const body of bodies) expect(textOf(objectIn(body), 'method')).toBe('tools/call');
  return bodies;
}
